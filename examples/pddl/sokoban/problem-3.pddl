; Two boxes in a room with a pillar; cXY is column X, row Y.
; #######
; #.   .#
; # $$  #
; #  #  #
; # @   #
; #######
(define (problem sokoban-3)
  (:domain sokoban)
  (:objects
    c11 c21 c31 c41 c51 c12 c22 c32 c42 c52 c13 c23 c43 c53 c14 c24 c34 c44 c54 - cell)
  (:init
    (empty c11) (empty c21) (empty c31) (empty c41) (empty c51) (empty c12) (box c22) (box c32)
    (empty c42) (empty c52) (empty c13) (empty c23) (empty c43) (empty c53) (empty c14)
    (agent c24) (empty c34) (empty c44) (empty c54) (next c11 c21) (next c11 c12)
    (next c21 c31) (next c21 c22) (next c21 c11) (next c31 c41) (next c31 c32) (next c31 c21)
    (next c41 c51) (next c41 c42) (next c41 c31) (next c51 c52) (next c51 c41) (next c12 c11)
    (next c12 c22) (next c12 c13) (next c22 c21) (next c22 c32) (next c22 c23) (next c22 c12)
    (next c32 c31) (next c32 c42) (next c32 c22) (next c42 c41) (next c42 c52) (next c42 c43)
    (next c42 c32) (next c52 c51) (next c52 c53) (next c52 c42) (next c13 c12) (next c13 c23)
    (next c13 c14) (next c23 c22) (next c23 c24) (next c23 c13) (next c43 c42) (next c43 c53)
    (next c43 c44) (next c53 c52) (next c53 c54) (next c53 c43) (next c14 c13) (next c14 c24)
    (next c24 c23) (next c24 c34) (next c24 c14) (next c34 c44) (next c34 c24) (next c44 c43)
    (next c44 c54) (next c44 c34) (next c54 c53) (next c54 c44) (line c11 c21 c31)
    (line c11 c12 c13) (line c21 c31 c41) (line c21 c22 c23) (line c31 c41 c51)
    (line c31 c21 c11) (line c41 c42 c43) (line c41 c31 c21) (line c51 c52 c53)
    (line c51 c41 c31) (line c12 c22 c32) (line c12 c13 c14) (line c22 c32 c42)
    (line c22 c23 c24) (line c32 c42 c52) (line c32 c22 c12) (line c42 c43 c44)
    (line c42 c32 c22) (line c52 c53 c54) (line c52 c42 c32) (line c13 c12 c11)
    (line c23 c22 c21) (line c43 c42 c41) (line c53 c52 c51) (line c14 c13 c12)
    (line c14 c24 c34) (line c24 c23 c22) (line c24 c34 c44) (line c34 c44 c54)
    (line c34 c24 c14) (line c44 c43 c42) (line c44 c34 c24) (line c54 c53 c52)
    (line c54 c44 c34))
  (:goal (and
    (box c11) (box c51))))
