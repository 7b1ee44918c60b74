; Parcels travel by truck within a city and by plane between airports.
(define (domain logistics)
  (:requirements :strips :typing)
  (:types
    thing place city - object
    parcel vehicle - thing
    truck plane - vehicle
    airport - place)
  (:predicates
    (at ?t - thing ?p - place)
    (in ?p - parcel ?v - vehicle)
    (of ?p - place ?c - city))

  (:action load
    :parameters (?p - parcel ?v - vehicle ?here - place)
    :precondition (and (at ?p ?here) (at ?v ?here))
    :effect (and (in ?p ?v) (not (at ?p ?here))))

  (:action unload
    :parameters (?p - parcel ?v - vehicle ?here - place)
    :precondition (and (in ?p ?v) (at ?v ?here))
    :effect (and (at ?p ?here) (not (in ?p ?v))))

  (:action drive
    :parameters (?t - truck ?from ?to - place ?c - city)
    :precondition (and (at ?t ?from) (of ?from ?c) (of ?to ?c))
    :effect (and (not (at ?t ?from)) (at ?t ?to)))

  (:action fly
    :parameters (?p - plane ?from ?to - airport)
    :precondition (at ?p ?from)
    :effect (and (not (at ?p ?from)) (at ?p ?to))))
