; Three cities, one plane.
(define (problem logistics-3)
  (:domain logistics)
  (:objects
    p1 p2 p3 - parcel van cart lorry - truck jet - plane
    lyon-airport nice-airport metz-airport - airport lyon-depot nice-shop metz-yard - place
    lyon nice metz - city)
  (:init
    (of lyon-airport lyon) (of lyon-depot lyon) (of nice-airport nice) (of nice-shop nice)
    (of metz-airport metz) (of metz-yard metz) (at van lyon-depot) (at cart nice-airport)
    (at lorry metz-yard) (at jet metz-airport) (at p1 lyon-depot) (at p2 nice-shop)
    (at p3 metz-yard))
  (:goal (and
    (at p1 metz-yard) (at p2 lyon-airport) (at p3 metz-airport))))
