; Two balls, one way.
(define (problem gripper-1)
  (:domain gripper)
  (:objects
    hall kitchen - room red blue - ball left right - hand)
  (:init
    (robot-in hall) (idle left) (idle right) (ball-in red hall) (ball-in blue hall))
  (:goal (and
    (ball-in red kitchen) (ball-in blue kitchen))))
