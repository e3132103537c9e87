import Graph

/// Takes ranges of all axes whose bounds are computed: `y = x[begin:end:stride, …]`.
///
/// - Inputs, in order: the tensor, the first indices, and optionally the ends, the strides, and the
///   masks that make begins open, make ends open and squeeze axes (not 0 is true). Each is a vector
///   with a number per axis. What is not an input is a parameter.
/// - Everything else as ``SliceStaticOperator``; parameters may name more axes than there are.
/// - Defaults: ends open where no number is given, strides 1, masks false.
///
/// **Source:** `SliceDynamicLayerParams`.
public struct SliceDynamicOperator: MovingOperator {
  public static let declaration = OperatorDeclaration(
    "SliceDynamic", summary: "takes ranges of all axes with computed bounds")

  /// The ends, unless the third input gives them.
  public let ends: [Int]
  /// The strides, unless the fourth input gives them.
  public let strides: [Int]
  /// Which begins are open, unless the fifth input says.
  public let beginMasks: [Bool]
  /// Which ends are open, unless the sixth input says.
  public let endMasks: [Bool]
  /// Which axes are squeezed, unless the seventh input says.
  public let squeezeMasks: [Bool]

  /// What the inputs do not give.
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

  /// The slices for inputs whose values are known from the second on.
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

  /// The slice of one axis, where `given` inputs after the first hold numbers for it.
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

  /// All inputs but the first hold bounds.
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
