; A lift fetches passengers from their floors and takes them to others.
(define (domain miconic)
  (:requirements :strips :typing)
  (:types passenger floor)
  (:predicates
    (waits ?p - passenger ?f - floor)
    (wants ?p - passenger ?f - floor)
    (above ?upper ?lower - floor)
    (inside ?p - passenger)
    (served ?p - passenger)
    (lift-at ?f - floor))

  (:action enter
    :parameters (?p - passenger ?f - floor)
    :precondition (and (lift-at ?f) (waits ?p ?f))
    :effect (and (inside ?p) (not (waits ?p ?f))))

  (:action exit
    :parameters (?p - passenger ?f - floor)
    :precondition (and (lift-at ?f) (wants ?p ?f) (inside ?p))
    :effect (and (served ?p) (not (inside ?p))))

  (:action up
    :parameters (?from ?to - floor)
    :precondition (and (lift-at ?from) (above ?to ?from))
    :effect (and (lift-at ?to) (not (lift-at ?from))))

  (:action down
    :parameters (?from ?to - floor)
    :precondition (and (lift-at ?from) (above ?from ?to))
    :effect (and (lift-at ?to) (not (lift-at ?from)))))
