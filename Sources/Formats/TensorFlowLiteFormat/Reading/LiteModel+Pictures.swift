extension LiteModel.Subgraph {
  /// Returns the tensors that an operator on images reads, directly or through operators that accept any axis order.
  /// The builder transposes these tensors to channels-first order as soon as it binds them.
  func pictures(_ table: LiteOperatorTable) -> Set<Int> {
    var wanted: Set<Int> = []
    for operation in operations.reversed() {
      switch table[operation]?.order {
      case .pictures(let positions):
        for position in positions where operation.inputs.indices.contains(position) {
          want(operation.inputs[position])
        }
      case .any:
        if operation.outputs.contains(where: wanted.contains) {
          operation.inputs.forEach(want)
        }
      case .written, nil: break
      }
    }
    func want(_ tensor: Int) {
      if tensor >= 0, tensors[tensor].shape.count == 4 { wanted.insert(tensor) }
    }
    return wanted
  }
}
