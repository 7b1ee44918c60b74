; One parcel within a city and across.
(define (problem logistics-1)
  (:domain logistics)
  (:objects
    p1 - parcel van cart - truck jet - plane lyon-airport nice-airport - airport
    lyon-depot nice-shop - place lyon nice - city)
  (:init
    (of lyon-airport lyon) (of lyon-depot lyon) (of nice-airport nice) (of nice-shop nice)
    (at van lyon-depot) (at cart nice-airport) (at jet lyon-airport) (at p1 lyon-depot))
  (:goal (at p1 nice-airport)))
