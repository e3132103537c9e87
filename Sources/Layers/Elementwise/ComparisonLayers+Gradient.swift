import Engine

// What these compute moves in steps.

extension EqualLayer: SteppingLayer {}
extension NotEqualLayer: SteppingLayer {}
extension LessThanLayer: SteppingLayer {}
extension LessEqualLayer: SteppingLayer {}
extension GreaterThanLayer: SteppingLayer {}
extension GreaterEqualLayer: SteppingLayer {}
extension LogicalAndLayer: SteppingLayer {}
extension LogicalOrLayer: SteppingLayer {}
extension LogicalXorLayer: SteppingLayer {}
extension LogicalNotLayer: SteppingLayer {}
