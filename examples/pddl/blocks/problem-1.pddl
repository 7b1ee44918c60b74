; Three blocks; what lies below must come on top.
(define (problem blocks-1)
  (:domain blocks)
  (:objects
    a b c - block)
  (:init
    (hand-empty) (free c) (on c a) (on-table a) (free b) (on-table b))
  (:goal (and
    (on a b) (on b c))))
