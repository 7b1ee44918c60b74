; Three columns, two rows, farther away.
(define (problem sliding-2)
  (:domain sliding)
  (:objects
    t1 t2 t3 t4 t5 - tile x1y1 x2y1 x3y1 x1y2 x2y2 x3y2 - place)
  (:init
    (at t4 x1y1) (at t5 x2y1) (gap x3y1) (at t1 x1y2) (at t2 x2y2) (at t3 x3y2)
    (beside x1y1 x2y1) (beside x1y1 x1y2) (beside x2y1 x3y1) (beside x2y1 x2y2)
    (beside x2y1 x1y1) (beside x3y1 x3y2) (beside x3y1 x2y1) (beside x1y2 x1y1)
    (beside x1y2 x2y2) (beside x2y2 x2y1) (beside x2y2 x3y2) (beside x2y2 x1y2)
    (beside x3y2 x3y1) (beside x3y2 x2y2))
  (:goal (and
    (at t1 x1y1) (at t2 x2y1) (at t3 x3y1) (at t4 x1y2) (at t5 x2y2))))
