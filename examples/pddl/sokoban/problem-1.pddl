; One box along a corridor and around a corner; cXY is column X, row Y.
; ######
; #@   #
; # $  #
; #   .#
; ######
(define (problem sokoban-1)
  (:domain sokoban)
  (:objects
    c11 c21 c31 c41 c12 c22 c32 c42 c13 c23 c33 c43 - cell)
  (:init
    (agent c11) (empty c21) (empty c31) (empty c41) (empty c12) (box c22) (empty c32)
    (empty c42) (empty c13) (empty c23) (empty c33) (empty c43) (next c11 c21) (next c11 c12)
    (next c21 c31) (next c21 c22) (next c21 c11) (next c31 c41) (next c31 c32) (next c31 c21)
    (next c41 c42) (next c41 c31) (next c12 c11) (next c12 c22) (next c12 c13) (next c22 c21)
    (next c22 c32) (next c22 c23) (next c22 c12) (next c32 c31) (next c32 c42) (next c32 c33)
    (next c32 c22) (next c42 c41) (next c42 c43) (next c42 c32) (next c13 c12) (next c13 c23)
    (next c23 c22) (next c23 c33) (next c23 c13) (next c33 c32) (next c33 c43) (next c33 c23)
    (next c43 c42) (next c43 c33) (line c11 c21 c31) (line c11 c12 c13) (line c21 c31 c41)
    (line c21 c22 c23) (line c31 c32 c33) (line c31 c21 c11) (line c41 c42 c43)
    (line c41 c31 c21) (line c12 c22 c32) (line c22 c32 c42) (line c32 c22 c12)
    (line c42 c32 c22) (line c13 c12 c11) (line c13 c23 c33) (line c23 c22 c21)
    (line c23 c33 c43) (line c33 c32 c31) (line c33 c23 c13) (line c43 c42 c41)
    (line c43 c33 c23))
  (:goal (box c43)))
