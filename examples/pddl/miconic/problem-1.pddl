; Two passengers, three floors.
(define (problem miconic-1)
  (:domain miconic)
  (:objects
    ann bob - passenger f1 f2 f3 - floor)
  (:init
    (above f2 f1) (above f3 f1) (above f3 f2) (lift-at f1) (waits ann f1) (wants ann f3)
    (waits bob f2) (wants bob f1))
  (:goal (and
    (served ann) (served bob))))
