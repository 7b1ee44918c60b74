; Three cars change places on three islands.
(define (problem ferry-2)
  (:domain ferry)
  (:objects
    amrum foehr sylt - port beetle mini panda - car)
  (:init
    (apart amrum foehr) (apart amrum sylt) (apart foehr amrum) (apart foehr sylt)
    (apart sylt amrum) (apart sylt foehr) (ferry-at amrum) (deck-empty) (car-at beetle amrum)
    (car-at mini foehr) (car-at panda sylt))
  (:goal (and
    (car-at beetle foehr) (car-at mini sylt) (car-at panda amrum))))
