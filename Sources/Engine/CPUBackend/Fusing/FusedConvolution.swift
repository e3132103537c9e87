import Graph
import Operators

/// A convolution with what passes have fused into it. Before the convolution, in this order: an instance norm,
/// nearest-neighbour upsampling. After it: the steps of an epilogue, then the statistics of the result's blocks for an
/// instance norm that follows.
///
/// - Inputs: those of the convolution; those of the epilogue's steps; γ, β and the block statistics of ``inputNorm``.
/// - Output: that of the convolution. If ``takesStatistics`` is set, a second output holds the statistics of the first
///   output's blocks (``BlockStatistics``).
/// - Errors: those of ``ConvolutionOperator``; an input of the epilogue or of the norm has another shape.
///
/// Only passes add this operator to a graph. No model file contains it.
public struct FusedConvolution: Operator {
  public static let declaration = OperatorDeclaration(
    "FusedConvolution", summary: "a convolution with the operators before and after it")

  /// The convolution itself.
  public var core: ConvolutionOperator
  /// The factor by which the input is enlarged in both directions before the window is applied. Each input pixel is
  /// repeated.
  public var upsampling = 1
  /// An instance norm that is applied to the first input while reading it. The norm reads block statistics and has at
  /// most an activation as its epilogue. γ, β and the statistics are the last three inputs.
  public var inputNorm: FusedNorm?
  /// Whether other nodes also read the first input. Then the convolution must not overwrite that input with the result
  /// of ``inputNorm``. It needs a kernel that applies the norm while reading, or a copy of the input.
  public var sharesInput = false
  /// The steps that are applied to the result.
  public var epilogue: [Epilogue] = []
  /// Whether a second output holds the statistics of the result's blocks.
  public var takesStatistics = false

  /// Two numbers, one for the height and one for the width.
  typealias Pair = ConvolutionOperator.Pair

  /// Creates a convolution into which nothing is fused.
  public init(_ core: ConvolutionOperator) { self.core = core }

  /// The name of the convolution.
  public var name: String { core.name }

  /// The convolution alone if nothing is fused into it, else the fused convolution.
  var simplified: any Operator {
    let isPlain: Bool =
      upsampling == 1 && inputNorm == nil && epilogue.isEmpty && !takesStatistics
    return isPlain ? core : self
  }

  /// The number of inputs that the convolution itself reads, which come first.
  var coreInputCount: Int { core.hasBias ? 3 : 2 }

  /// The positions of the inputs of the epilogue's steps.
  private var epilogueInputs: Range<Int> {
    coreInputCount..<coreInputCount + epilogue.inputCount
  }

  /// The positions of γ, β and the statistics of ``inputNorm``; nil if there is no norm.
  var normInputs: Range<Int>? {
    inputNorm.map { _ in epilogueInputs.upperBound..<epilogueInputs.upperBound + 3 }
  }

  /// The steps as kernels apply them; nil if they have another order.
  var steps: ImageEpilogue? { ImageEpilogue(epilogue, inputsFrom: coreInputCount) }

  /// The output size and the padding for an input of this size, before the upsampling.
  func geometry(height: Int, width: Int) throws -> ConvolutionOperator.Geometry {
    try ConvolutionOperator.Geometry(core, height: height * upsampling, width: width * upsampling)
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let expected: Int = epilogueInputs.upperBound + (inputNorm == nil ? 0 : 3)
    guard inputs.count == expected else {
      throw EngineError(
        .invalidModel, "the layer has \(inputs.count) inputs, expected \(expected).")
    }
    if let inputNorm, let normInputs {
      _ = try inputNorm.outputTypes(for: [inputs[0]] + inputs[normInputs])
    }
    let enlarged = OperatorInput(TensorType(try upsampled(inputs[0].shape)))
    guard
      let types = try core.outputTypes(for: [enlarged] + inputs[1..<coreInputCount])
    else { return nil }
    try epilogue.require(inputs[epilogueInputs], fit: types[0].shape)
    guard takesStatistics else { return types }
    return types + [TensorType(try BlockStatistics.shape(of: types[0].shape))]
  }

  private func upsampled(_ shape: Shape) throws -> Shape {
    guard upsampling > 1, shape.rank >= 3 else { return shape }
    let leading: [Int] = shape.dimensions.dropLast(2)
    return try Shape.checked(leading + [shape[-2], shape[-1]].map { $0 * upsampling })
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    var source = inputs[0]
    if let inputNorm, let normInputs {
      source = try inputNorm.reference([source] + inputs[normInputs])[0]
    }
    if upsampling > 1 {
      let factor = Float(upsampling)
      source = try UpsampleOperator(heightFactor: factor, widthFactor: factor)
        .reference([source])[0]
    }
    let sums = try core.reference([source] + inputs[1..<coreInputCount])[0]
    let result = try epilogue.reference(sums, inputs[epilogueInputs])
    return takesStatistics ? [result, try BlockStatistics.of(result)] : [result]
  }
}
