; Five cars, some of them back.
(define (problem ferry-3)
  (:domain ferry)
  (:objects
    amrum foehr sylt - port beetle mini panda twingo polo - car)
  (:init
    (apart amrum foehr) (apart amrum sylt) (apart foehr amrum) (apart foehr sylt)
    (apart sylt amrum) (apart sylt foehr) (ferry-at amrum) (deck-empty) (car-at beetle amrum)
    (car-at mini foehr) (car-at panda sylt) (car-at twingo amrum) (car-at polo foehr))
  (:goal (and
    (car-at beetle sylt) (car-at mini amrum) (car-at panda foehr) (car-at twingo foehr)
    (car-at polo amrum))))
