import Engine
import Foundation
import TensorFlowLiteFormat

/// The shape and the bytes of an input or output.
struct TensorValues {
  /// The tensor's description in the file.
  let tensorInFile: LiteModel.Tensor
  /// The current shape.
  let shape: [Int]
  /// The bytes of the elements, in the file's element type.
  var data: Data
}

/// A model and its plan for certain input shapes.
struct LoadedModel {
  /// The inputs with their values.
  var inputs: [TensorValues]
  private let outputs: [(tensorInFile: LiteModel.Tensor, shape: [Int]?)]
  private let network: Network
  private let types: [TensorType]

  /// Reads the graph and plans its computation.
  init(_ model: LiteModel, shapes: [Int: [Int]], threads: Int?) throws {
    let main: LiteModel.Subgraph = model.subgraphs[0]
    // The keys of the extents are the inputs' names in the graph. The graph may append a number to an input's name in
    // the file.
    var options = ReadingOptions()
    if !shapes.isEmpty {
      let names: [String] = try model.graph().inputs.map(\.name)
      for (index, shape) in shapes { options.extents[names[index]] = shape.map { Extent($0) } }
    }
    let made: GraphModel = try model.graph(options)
    inputs = zip(main.inputs, made.inputs).map { tensor, feature in
      let tensorInFile: LiteModel.Tensor = main.tensors[tensor]
      // A dynamic axis has length 1 until the caller sets a shape.
      let shape: [Int] = (feature.extents ?? []).map(\.lower)
      return TensorValues(
        tensorInFile: tensorInFile, shape: shape,
        data: Data(count: tensorInFile.element.byteCount(of: shape)))
    }
    outputs = zip(main.outputs, made.outputs).map { tensor, feature in
      let known: [Int]? = feature.extents?.compactMap(\.fixed)
      return (main.tensors[tensor], known?.count == feature.extents?.count ? known : nil)
    }
    var execution = ExecutionOptions()
    if let threads { execution.threads = threads }
    network = Network(made.graph, passes: GraphPasses.standard, options: execution)
    types = inputs.map { input in
      TensorType(
        Shape(input.shape),
        input.tensorInFile.quantization == nil ? input.tensorInFile.element.held : .float32)
    }
    _ = try network.plan(for: types)
  }

  /// Returns the output with an index, filled with zeros. Returns nil if the output's shape depends on the values of
  /// the inputs.
  func blankOutput(_ index: Int) -> TensorValues? {
    guard let shape = outputs[index].shape else { return nil }
    let tensorInFile: LiteModel.Tensor = outputs[index].tensorInFile
    return TensorValues(
      tensorInFile: tensorInFile, shape: shape,
      data: Data(count: tensorInFile.element.byteCount(of: shape)))
  }

  /// Computes the outputs.
  func run() throws -> [TensorValues] {
    try network.plan(for: types).withSession { session in
      for (position, input) in inputs.enumerated() {
        try TensorBytes(input.tensorInFile).write(input.data, to: session.input(position))
      }
      try session.run()
      return try outputs.enumerated().map { position, output in
        let tensor: PortTensor = try session.output(position)
        var shape: [Int] = tensor.form.shape.dimensions
        if let known = output.shape, Shape(known).count == tensor.form.shape.count { shape = known }
        if output.tensorInFile.shape.isEmpty, shape == [1] { shape = [] }
        return TensorValues(
          tensorInFile: output.tensorInFile, shape: shape,
          data: try TensorBytes(output.tensorInFile).read(session, position))
      }
    }
  }
}

extension LiteElement {
  /// Returns the size in bytes of a tensor with this element type and the given shape.
  fileprivate func byteCount(of shape: [Int]) -> Int {
    (stored ?? .float32).byteCount(of: Shape(shape).count)
  }
}
