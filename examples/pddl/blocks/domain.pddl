; Blocks on a table, and a hand that holds one of them.
(define (domain blocks)
  (:requirements :strips :typing)
  (:types block)
  (:predicates
    (on ?upper ?lower - block)
    (on-table ?b - block)
    (free ?b - block)          ; nothing lies on it, and it is not held
    (held ?b - block)
    (hand-empty))

  (:action lift
    :parameters (?b - block)
    :precondition (and (hand-empty) (free ?b) (on-table ?b))
    :effect (and (held ?b) (not (hand-empty)) (not (free ?b)) (not (on-table ?b))))

  (:action lay
    :parameters (?b - block)
    :precondition (held ?b)
    :effect (and (hand-empty) (free ?b) (on-table ?b) (not (held ?b))))

  (:action unstack
    :parameters (?upper ?lower - block)
    :precondition (and (hand-empty) (free ?upper) (on ?upper ?lower))
    :effect (and (held ?upper) (free ?lower)
                 (not (hand-empty)) (not (free ?upper)) (not (on ?upper ?lower))))

  (:action stack
    :parameters (?upper ?lower - block)
    :precondition (and (held ?upper) (free ?lower))
    :effect (and (hand-empty) (free ?upper) (on ?upper ?lower)
                 (not (held ?upper)) (not (free ?lower)))))
