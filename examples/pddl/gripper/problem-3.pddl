; Five balls and three rooms.
(define (problem gripper-3)
  (:domain gripper)
  (:objects
    hall kitchen cellar - room red blue green white black - ball left right - hand)
  (:init
    (robot-in hall) (idle left) (idle right) (ball-in red hall) (ball-in blue hall)
    (ball-in green kitchen) (ball-in white kitchen) (ball-in black cellar))
  (:goal (and
    (ball-in red cellar) (ball-in blue kitchen) (ball-in green hall) (ball-in white cellar)
    (ball-in black hall))))
