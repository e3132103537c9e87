import Graph

/// Takes a range of each axis: `y = x[begin:end:stride, …]`. The inputs hold the bounds.
///
/// - Inputs, in order: the tensor, the begins, and optionally the ends, the strides, the begin masks, the end masks and
///   the squeeze masks. Each input after the tensor is a vector with one number per axis. Parameters replace missing
///   inputs.
/// - Masks: every mask value except 0 is true. A true begin mask makes the begin of its axis open, and the number of
///   the begin is ignored. A true end mask does the same for the end; see ``AxisSlice``. If the squeeze mask of an axis
///   is true, the output lacks the axis.
/// - Bounds work as in ``SliceStaticOperator``. Parameters may have entries for more axes than the tensor has.
/// - Defaults for an axis without an entry in the inputs and parameters: an open end, stride 1, masks false.
///
/// **Source:** `SliceDynamicLayerParams`.
public struct SliceDynamicOperator: MovingOperator {
  public static let declaration = OperatorDeclaration(
    "SliceDynamic", summary: "takes ranges of all axes with computed bounds")

  /// The exclusive end on each axis; ignored if there is a third input.
  public let ends: [Int]
  /// The stride for each axis; ignored if there is a fourth input.
  public let strides: [Int]
  /// For each axis, whether the begin is open; ignored if there is a fifth input.
  public let beginMasks: [Bool]
  /// For each axis, whether the end is open; ignored if there is a sixth input.
  public let endMasks: [Bool]
  /// For each axis, whether it is squeezed; ignored if there is a seventh input.
  public let squeezeMasks: [Bool]

  /// Creates a slice. The parameters replace missing inputs.
  public init(
    ends: [Int] = [], strides: [Int] = [], beginMasks: [Bool] = [], endMasks: [Bool] = [],
    squeezeMasks: [Bool] = []
  ) {
    self.ends = ends
    self.strides = strides
    self.beginMasks = beginMasks
    self.endMasks = endMasks
    self.squeezeMasks = squeezeMasks
  }

  /// Returns the slice of each axis.
  ///
  /// - Parameter values: the values of all inputs after the tensor.
  package func slices(_ input: Shape, _ values: [[Int]]) throws -> [AxisSlice] {
    let rank: Int = input.rank
    let names: [String] = [
      "begins", "ends", "strides", "begin masks", "end masks", "squeeze masks",
    ]
    for (name, list) in zip(names, values) where list.count != rank {
      throw EngineError(
        .invalidInput,
        "\(list.count) \(name) are given, but the input has \(rank) dimensions (\(input)).")
    }
    return (0..<rank).map { axis in slice(axis, given: values.count) { values[$0][axis] } }
  }

  /// Returns the slice of one axis.
  ///
  /// - Parameters:
  ///   - given: the number of inputs after the tensor.
  ///   - number: returns this axis's number in an input. Its argument counts the inputs after the tensor from 0.
  package func slice(_ axis: Int, given: Int, _ number: (_ input: Int) -> Int) -> AxisSlice {
    func mask(_ input: Int, _ fallback: [Bool]) -> Bool {
      if input < given { return number(input) != 0 }
      return axis < fallback.count ? fallback[axis] : false
    }
    let end: Int? = given > 1 ? number(1) : axis < ends.count ? ends[axis] : nil
    let stride: Int = given > 2 ? number(2) : axis < strides.count ? strides[axis] : 1
    return AxisSlice(
      begin: mask(3, beginMasks) ? nil : number(0), end: mask(4, endMasks) ? nil : end,
      stride: stride, isSqueezed: mask(5, squeezeMasks))
  }

  /// Returns true only for the first input, the tensor. The other inputs hold bounds and masks.
  public func moves(input: Int) -> Bool { input == 0 }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let known: [[Int]] = inputs.dropFirst().compactMap(\.integers)
    guard known.count == inputs.count - 1 else { return nil }
    let slices: [AxisSlice] = try slices(inputs[0].shape, known)
    return [inputs[0].type.reshaped(to: try ResolvedSlices(slices, of: inputs[0].shape).shape)]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let slices: [AxisSlice] = try slices(
      inputs[0].shape, inputs.dropFirst().map(\.integers))
    return [try ResolvedSlices(slices, of: inputs[0].shape).apply(inputs[0])]
  }
}
