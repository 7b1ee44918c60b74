; Four balls, two at a time.
(define (problem gripper-2)
  (:domain gripper)
  (:objects
    hall kitchen - room red blue green white - ball left right - hand)
  (:init
    (robot-in hall) (idle left) (idle right) (ball-in red hall) (ball-in blue hall)
    (ball-in green hall) (ball-in white hall))
  (:goal (and
    (ball-in red kitchen) (ball-in blue kitchen) (ball-in green kitchen)
    (ball-in white kitchen))))
