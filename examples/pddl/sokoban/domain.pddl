; Sokoban on named cells. A push moves agent and box one cell further in a line.
(define (domain sokoban)
  (:requirements :strips :typing)
  (:types cell)
  (:predicates
    (agent ?c - cell)
    (box ?c - cell)
    (empty ?c - cell)
    (next ?c ?d - cell)
    (line ?c ?d ?e - cell))

  (:action walk
    :parameters (?from ?to - cell)
    :precondition (and (agent ?from) (next ?from ?to) (empty ?to))
    :effect (and (agent ?to) (empty ?from) (not (agent ?from)) (not (empty ?to))))

  (:action push
    :parameters (?from ?to ?beyond - cell)
    :precondition (and (agent ?from) (line ?from ?to ?beyond) (box ?to) (empty ?beyond))
    :effect (and (agent ?to) (box ?beyond) (empty ?from)
                 (not (agent ?from)) (not (box ?to)) (not (empty ?beyond)))))
