import Graph

// What these compute moves in steps.

extension EqualOperator: SteppingOperator {}
extension NotEqualOperator: SteppingOperator {}
extension LessThanOperator: SteppingOperator {}
extension LessEqualOperator: SteppingOperator {}
extension GreaterThanOperator: SteppingOperator {}
extension GreaterEqualOperator: SteppingOperator {}
extension LogicalAndOperator: SteppingOperator {}
extension LogicalOrOperator: SteppingOperator {}
extension LogicalXorOperator: SteppingOperator {}
extension LogicalNotOperator: SteppingOperator {}
