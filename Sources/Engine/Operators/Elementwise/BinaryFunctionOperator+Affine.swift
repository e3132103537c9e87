import Graph

extension BinaryFunctionOperator: PerChannelAffine {
  /// If the function is a sum, difference, product or quotient, returns it as a factor and a shift per channel. The
  /// right operand must be a constant with one number, or with one number per channel. Returns nil for other functions
  /// and operands.
  public func affine(of constants: [Constant?], channels: Int) -> ChannelAffine? {
    guard let operand = operand(of: constants, channels: channels) else { return nil }
    let one: Constant = .repeating(1, [channels])
    let zero: Constant = .repeating(0, [channels])
    switch function {
    case .add: return ChannelAffine(scale: one, shift: operand)
    case .subtract: return ChannelAffine(scale: one, shift: operand.mapped("−x") { -$0 })
    case .multiply: return ChannelAffine(scale: operand, shift: zero)
    case .divide: return ChannelAffine(scale: operand.mapped("1 / x") { 1 / $0 }, shift: zero)
    default: return nil
    }
  }

  private func operand(of constants: [Constant?], channels: Int) -> Constant? {
    if let number { return constants.count == 1 ? .repeating(number, [channels]) : nil }
    guard constants.count == 2, constants[0] == nil, let operand = constants[1] else { return nil }
    let others: [Int] = operand.shape.dimensions.enumerated().compactMap { axis, extent in
      axis == operand.shape.rank - 3 ? nil : extent
    }
    return others.allSatisfy { $0 == 1 } ? operand.stretched(to: channels) : nil
  }
}

extension Constant {
  /// Returns a constant with the function applied to every value. `recipe` names the function in the identity of the
  /// new constant.
  fileprivate func mapped(
    _ recipe: String, _ function: @escaping @Sendable (Float) -> Float
  ) -> Constant {
    Constant(shape, recipe: recipe, of: [self]) { [self] in try floats().map(function) }
  }
}
