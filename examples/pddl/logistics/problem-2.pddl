; Two parcels, one each way.
(define (problem logistics-2)
  (:domain logistics)
  (:objects
    p1 p2 - parcel van cart - truck jet - plane lyon-airport nice-airport - airport
    lyon-depot nice-shop - place lyon nice - city)
  (:init
    (of lyon-airport lyon) (of lyon-depot lyon) (of nice-airport nice) (of nice-shop nice)
    (at van lyon-depot) (at cart nice-airport) (at jet nice-airport) (at p1 lyon-depot)
    (at p2 nice-shop))
  (:goal (and
    (at p1 nice-shop) (at p2 lyon-airport))))
