; Two boxes; cXY is column X, row Y.
; #######
; #  .  #
; # $#$ #
; #  .@ #
; #######
(define (problem sokoban-2)
  (:domain sokoban)
  (:objects
    c11 c21 c31 c41 c51 c12 c22 c42 c52 c13 c23 c33 c43 c53 - cell)
  (:init
    (empty c11) (empty c21) (empty c31) (empty c41) (empty c51) (empty c12) (box c22) (box c42)
    (empty c52) (empty c13) (empty c23) (empty c33) (agent c43) (empty c53) (next c11 c21)
    (next c11 c12) (next c21 c31) (next c21 c22) (next c21 c11) (next c31 c41) (next c31 c21)
    (next c41 c51) (next c41 c42) (next c41 c31) (next c51 c52) (next c51 c41) (next c12 c11)
    (next c12 c22) (next c12 c13) (next c22 c21) (next c22 c23) (next c22 c12) (next c42 c41)
    (next c42 c52) (next c42 c43) (next c52 c51) (next c52 c53) (next c52 c42) (next c13 c12)
    (next c13 c23) (next c23 c22) (next c23 c33) (next c23 c13) (next c33 c43) (next c33 c23)
    (next c43 c42) (next c43 c53) (next c43 c33) (next c53 c52) (next c53 c43)
    (line c11 c21 c31) (line c11 c12 c13) (line c21 c31 c41) (line c21 c22 c23)
    (line c31 c41 c51) (line c31 c21 c11) (line c41 c42 c43) (line c41 c31 c21)
    (line c51 c52 c53) (line c51 c41 c31) (line c13 c12 c11) (line c13 c23 c33)
    (line c23 c22 c21) (line c23 c33 c43) (line c33 c43 c53) (line c33 c23 c13)
    (line c43 c42 c41) (line c43 c33 c23) (line c53 c52 c51) (line c53 c43 c33))
  (:goal (and
    (box c31) (box c33))))
