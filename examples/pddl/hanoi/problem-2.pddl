; Four discs: fifteen moves.
(define (problem hanoi-2)
  (:domain hanoi)
  (:objects
    d1 d2 d3 d4 - disc left middle right - peg)
  (:init
    (fits d1 left) (fits d1 middle) (fits d1 right) (fits d2 left) (fits d2 middle)
    (fits d2 right) (fits d3 left) (fits d3 middle) (fits d3 right) (fits d4 left)
    (fits d4 middle) (fits d4 right) (fits d1 d2) (fits d1 d3) (fits d1 d4) (fits d2 d3)
    (fits d2 d4) (fits d3 d4) (on d1 d2) (on d2 d3) (on d3 d4) (on d4 left) (clear d1)
    (clear middle) (clear right))
  (:goal (and
    (on d1 d2) (on d2 d3) (on d3 d4) (on d4 right))))
