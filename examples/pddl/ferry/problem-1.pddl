; Two cars cross a river.
(define (problem ferry-1)
  (:domain ferry)
  (:objects
    north south - port beetle mini - car)
  (:init
    (apart north south) (apart south north) (ferry-at north) (deck-empty) (car-at beetle north)
    (car-at mini north))
  (:goal (and
    (car-at beetle south) (car-at mini south))))
