; Six blocks in two towers to be sorted into one.
(define (problem blocks-3)
  (:domain blocks)
  (:objects
    a b c d e f - block)
  (:init
    (hand-empty) (free a) (on a b) (on b c) (on-table c) (free d) (on d e) (on e f)
    (on-table f))
  (:goal (and
    (on f a) (on a d) (on d b) (on b e) (on e c))))
