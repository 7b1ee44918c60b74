; Four passengers, five floors.
(define (problem miconic-2)
  (:domain miconic)
  (:objects
    ann bob cem dea - passenger f1 f2 f3 f4 f5 - floor)
  (:init
    (above f2 f1) (above f3 f1) (above f4 f1) (above f5 f1) (above f3 f2) (above f4 f2)
    (above f5 f2) (above f4 f3) (above f5 f3) (above f5 f4) (lift-at f3) (waits ann f1)
    (wants ann f5) (waits bob f2) (wants bob f1) (waits cem f4) (wants cem f2) (waits dea f5)
    (wants dea f3))
  (:goal (and
    (served ann) (served bob) (served cem) (served dea))))
