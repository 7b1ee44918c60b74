; The sliding puzzle: a tile moves into the gap beside it.
(define (domain sliding)
  (:requirements :strips :typing)
  (:types tile place)
  (:predicates
    (at ?t - tile ?p - place)
    (gap ?p - place)
    (beside ?p ?q - place))

  (:action slide
    :parameters (?t - tile ?from ?to - place)
    :precondition (and (at ?t ?from) (gap ?to) (beside ?from ?to))
    :effect (and (at ?t ?to) (gap ?from) (not (at ?t ?from)) (not (gap ?to)))))
