; A robot with two hands carries balls between rooms.
(define (domain gripper)
  (:requirements :strips :typing)
  (:types room ball hand)
  (:predicates
    (robot-in ?r - room)
    (ball-in ?b - ball ?r - room)
    (idle ?h - hand)
    (holds ?h - hand ?b - ball))

  (:action go
    :parameters (?from ?to - room)
    :precondition (robot-in ?from)
    :effect (and (robot-in ?to) (not (robot-in ?from))))

  (:action take
    :parameters (?b - ball ?r - room ?h - hand)
    :precondition (and (robot-in ?r) (ball-in ?b ?r) (idle ?h))
    :effect (and (holds ?h ?b) (not (ball-in ?b ?r)) (not (idle ?h))))

  (:action put
    :parameters (?b - ball ?r - room ?h - hand)
    :precondition (and (robot-in ?r) (holds ?h ?b))
    :effect (and (ball-in ?b ?r) (idle ?h) (not (holds ?h ?b)))))
