; Six passengers, seven floors.
(define (problem miconic-3)
  (:domain miconic)
  (:objects
    ann bob cem dea eve fay - passenger f1 f2 f3 f4 f5 f6 f7 - floor)
  (:init
    (above f2 f1) (above f3 f1) (above f4 f1) (above f5 f1) (above f6 f1) (above f7 f1)
    (above f3 f2) (above f4 f2) (above f5 f2) (above f6 f2) (above f7 f2) (above f4 f3)
    (above f5 f3) (above f6 f3) (above f7 f3) (above f5 f4) (above f6 f4) (above f7 f4)
    (above f6 f5) (above f7 f5) (above f7 f6) (lift-at f4) (waits ann f1) (wants ann f7)
    (waits bob f2) (wants bob f1) (waits cem f4) (wants cem f2) (waits dea f5) (wants dea f3)
    (waits eve f6) (wants eve f2) (waits fay f3) (wants fay f6))
  (:goal (and
    (served ann) (served bob) (served cem) (served dea) (served eve) (served fay))))
