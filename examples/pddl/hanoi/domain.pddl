; The towers of Hanoi. Discs and pegs are supports; what lies on a disc is smaller.
(define (domain hanoi)
  (:requirements :strips :typing)
  (:types support - object disc peg - support)
  (:predicates
    (on ?d - disc ?s - support)
    (clear ?s - support)
    (fits ?d - disc ?s - support))

  (:action move
    :parameters (?d - disc ?from ?to - support)
    :precondition (and (clear ?d) (on ?d ?from) (clear ?to) (fits ?d ?to))
    :effect (and (on ?d ?to) (clear ?from) (not (on ?d ?from)) (not (clear ?to)))))
