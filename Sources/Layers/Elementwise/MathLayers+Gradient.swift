import Engine

// The derivatives of the functions of one value. The constants are 2 / √π and log 2.

extension SinLayer: PointwiseDifferentiableLayer {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? {
    dy * .function(.cosine, x[0])
  }
}

extension CosLayer: PointwiseDifferentiableLayer {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? {
    -(dy * .function(.sine, x[0]))
  }
}

extension TanLayer: PointwiseDifferentiableLayer {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? {
    dy * (1 + y * y)
  }
}

extension AsinLayer: PointwiseDifferentiableLayer {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? {
    dy / .function(.squareRoot, 1 - x[0] * x[0])
  }
}

extension AcosLayer: PointwiseDifferentiableLayer {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? {
    -(dy / .function(.squareRoot, 1 - x[0] * x[0]))
  }
}

extension AtanLayer: PointwiseDifferentiableLayer {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? {
    dy / (1 + x[0] * x[0])
  }
}

extension SinhLayer: PointwiseDifferentiableLayer {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? {
    dy * .function(.hyperbolicCosine, x[0])
  }
}

extension CoshLayer: PointwiseDifferentiableLayer {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? {
    dy * .function(.hyperbolicSine, x[0])
  }
}

extension TanhLayer: PointwiseDifferentiableLayer {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? {
    dy * (1 - y * y)
  }
}

extension AsinhLayer: PointwiseDifferentiableLayer {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? {
    dy / .function(.squareRoot, x[0] * x[0] + 1)
  }
}

extension AcoshLayer: PointwiseDifferentiableLayer {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? {
    dy / .function(.squareRoot, x[0] * x[0] - 1)
  }
}

extension AtanhLayer: PointwiseDifferentiableLayer {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? {
    dy / (1 - x[0] * x[0])
  }
}

extension Exp2Layer: PointwiseDifferentiableLayer {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? {
    dy * y * 0.6931471805599453
  }
}

extension ErfLayer: PointwiseDifferentiableLayer {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? {
    dy * .function(.exponential, -(x[0] * x[0])) * 1.1283791670955126
  }
}

extension SignLayer: SteppingLayer {}
extension RoundLayer: SteppingLayer {}
extension CeilLayer: SteppingLayer {}
extension FloorLayer: SteppingLayer {}
