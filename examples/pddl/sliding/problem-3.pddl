; Three by three: 181,440 states in reach.
(define (problem sliding-3)
  (:domain sliding)
  (:objects
    t1 t2 t3 t4 t5 t6 t7 t8 - tile x1y1 x2y1 x3y1 x1y2 x2y2 x3y2 x1y3 x2y3 x3y3 - place)
  (:init
    (at t8 x1y1) (at t2 x2y1) (at t3 x3y1) (at t1 x1y2) (at t6 x2y2) (at t4 x3y2) (at t7 x1y3)
    (gap x2y3) (at t5 x3y3) (beside x1y1 x2y1) (beside x1y1 x1y2) (beside x2y1 x3y1)
    (beside x2y1 x2y2) (beside x2y1 x1y1) (beside x3y1 x3y2) (beside x3y1 x2y1)
    (beside x1y2 x1y1) (beside x1y2 x2y2) (beside x1y2 x1y3) (beside x2y2 x2y1)
    (beside x2y2 x3y2) (beside x2y2 x2y3) (beside x2y2 x1y2) (beside x3y2 x3y1)
    (beside x3y2 x3y3) (beside x3y2 x2y2) (beside x1y3 x1y2) (beside x1y3 x2y3)
    (beside x2y3 x2y2) (beside x2y3 x3y3) (beside x2y3 x1y3) (beside x3y3 x3y2)
    (beside x3y3 x2y3))
  (:goal (and
    (at t1 x1y1) (at t2 x2y1) (at t3 x3y1) (at t4 x1y2) (at t5 x2y2) (at t6 x3y2) (at t7 x1y3)
    (at t8 x2y3))))
