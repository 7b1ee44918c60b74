; A ferry that takes one car at a time.
(define (domain ferry)
  (:requirements :strips :typing)
  (:types port car)
  (:predicates
    (ferry-at ?p - port)
    (car-at ?c - car ?p - port)
    (aboard ?c - car)
    (deck-empty)
    (apart ?p ?q - port))

  (:action sail
    :parameters (?from ?to - port)
    :precondition (and (apart ?from ?to) (ferry-at ?from))
    :effect (and (ferry-at ?to) (not (ferry-at ?from))))

  (:action board
    :parameters (?c - car ?p - port)
    :precondition (and (ferry-at ?p) (car-at ?c ?p) (deck-empty))
    :effect (and (aboard ?c) (not (car-at ?c ?p)) (not (deck-empty))))

  (:action leave
    :parameters (?c - car ?p - port)
    :precondition (and (ferry-at ?p) (aboard ?c))
    :effect (and (car-at ?c ?p) (deck-empty) (not (aboard ?c)))))
