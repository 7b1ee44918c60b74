; A tower of four to be turned over, one aside.
(define (problem blocks-2)
  (:domain blocks)
  (:objects
    a b c d - block)
  (:init
    (hand-empty) (free a) (on a b) (on b c) (on c d) (on-table d))
  (:goal (and
    (on d c) (on c a) (on a b))))
