import Graph

// The derivatives of the functions of one value. The constants are 2 / √π and log 2.

extension SinOperator: PointwiseDifferentiableOperator {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? {
    dy * .function(.cosine, x[0])
  }
}

extension CosOperator: PointwiseDifferentiableOperator {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? {
    -(dy * .function(.sine, x[0]))
  }
}

extension TanOperator: PointwiseDifferentiableOperator {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? {
    dy * (1 + y * y)
  }
}

extension AsinOperator: PointwiseDifferentiableOperator {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? {
    dy / .function(.squareRoot, 1 - x[0] * x[0])
  }
}

extension AcosOperator: PointwiseDifferentiableOperator {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? {
    -(dy / .function(.squareRoot, 1 - x[0] * x[0]))
  }
}

extension AtanOperator: PointwiseDifferentiableOperator {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? {
    dy / (1 + x[0] * x[0])
  }
}

extension SinhOperator: PointwiseDifferentiableOperator {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? {
    dy * .function(.hyperbolicCosine, x[0])
  }
}

extension CoshOperator: PointwiseDifferentiableOperator {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? {
    dy * .function(.hyperbolicSine, x[0])
  }
}

extension TanhOperator: PointwiseDifferentiableOperator {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? {
    dy * (1 - y * y)
  }
}

extension AsinhOperator: PointwiseDifferentiableOperator {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? {
    dy / .function(.squareRoot, x[0] * x[0] + 1)
  }
}

extension AcoshOperator: PointwiseDifferentiableOperator {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? {
    dy / .function(.squareRoot, x[0] * x[0] - 1)
  }
}

extension AtanhOperator: PointwiseDifferentiableOperator {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? {
    dy / (1 - x[0] * x[0])
  }
}

extension Exp2Operator: PointwiseDifferentiableOperator {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? {
    dy * y * 0.6931471805599453
  }
}

extension ErfOperator: PointwiseDifferentiableOperator {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? {
    dy * .function(.exponential, -(x[0] * x[0])) * 1.1283791670955126
  }
}

extension SignOperator: SteppingOperator {}
extension RoundOperator: SteppingOperator {}
extension CeilOperator: SteppingOperator {}
extension FloorOperator: SteppingOperator {}
