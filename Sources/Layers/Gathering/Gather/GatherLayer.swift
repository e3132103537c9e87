import Engine
import ModelFormat

/// Takes the slices that a list of indices names: `y[…, i, …] = x[…, indices[i], …]`, as `numpy.take`.
///
/// - Inputs: any tensor that has the axis, and indices of any shape; negative ones count from the end.
/// - Output: the axis is replaced by the axes of the indices.
/// - Error: an index that does not exist.
///
/// **Source:** `GatherLayerParams`.
public struct GatherLayer: Layer {
  public static let declaration = LayerDeclaration(
    "Gather", specification: "gather", summary: "takes the slices that indices name")

  /// The axis; negative counts from the end.
  public let axis: Int

  /// A taking of slices of an axis.
  public init(axis: Int) { self.axis = axis }

  public init(decoding decoder: LayerDecoder) throws {
    guard case .gather(let message)? = decoder.message.layer else {
      throw decoder.notA("gather")
    }
    try decoder.requireInputs(2...2)
    self.init(axis: try decoder.integer(message.axis, "axis"))
  }

  private func shape(_ data: Shape, _ indices: Shape) throws -> Shape {
    let axis: Int = try data.axis(axis)
    var dimensions: [Int] = data.dimensions
    dimensions.replaceSubrange(axis...axis, with: indices.dimensions)
    return try Shape.checked(dimensions)
  }

  public func outputTypes(for inputs: [LayerInput]) throws -> [TensorType]? {
    [inputs[0].type.reshaped(to: try shape(inputs[0].shape, inputs[1].shape))]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let (data, indices) = (inputs[0], inputs[1])
    let axis: Int = try data.shape.axis(axis)
    let rank: Int = indices.shape.rank
    return [
      try ReferenceTensor(try shape(data.shape, indices.shape)) { index in
        let named: Double = indices[Array(index[axis..<axis + rank])]
        var source = index
        source.replaceSubrange(
          axis..<axis + rank, with: [try place(named, of: data.shape[axis], axis: axis)])
        return data[source]
      }
    ]
  }

  public var kernels: [KernelCandidate] {
    [
      KernelCandidate("native gather") { request in
        var data: TensorDescriptor = request.followed()
        data.layout = .dense
        let axis: Int = try data.shape.axis(axis)
        let indices = TensorDescriptor(request.inputs[1].shape)
        let output = TensorDescriptor(request.outputs[0].shape, data.storage)
        return Kernel(
          GatherStep(data, axis: axis, count: indices.shape.count), inputs: [data, indices],
          outputs: [output])
      }
    ]
  }
}

/// Copies the slices that indices name: dense memory, one run a slice; indices are `float32`.
final class GatherStep: Step, @unchecked Sendable {
  private let axis: Int
  private let outer: Int
  private let extent: Int
  private let runBytes: Int
  private let count: Int

  init(_ data: TensorDescriptor, axis: Int, count: Int) {
    self.axis = axis
    self.count = count
    outer = data.shape.product(0..<axis)
    extent = data.shape[axis]
    runBytes = data.shape.product(axis + 1..<data.shape.rank) * data.storage.byteCount
  }

  override func run(_ memory: StepMemory) throws {
    // Safe: the planner gives memory of the forms that the kernel asked for, and every index is checked
    // before it is used.
    let indices = memory.inputs[1].assumingMemoryBound(to: Float.self)
    var target: UnsafeMutableRawPointer = memory.outputs[0]
    for block in 0..<outer {
      let source: UnsafeMutableRawPointer = memory.inputs[0] + block * extent * runBytes
      for position in 0..<count {
        let row: Int = try place(Double(indices[position]), of: extent, axis: axis)
        target.copyMemory(from: source + row * runBytes, byteCount: runBytes)
        target += runBytes
      }
    }
  }
}
