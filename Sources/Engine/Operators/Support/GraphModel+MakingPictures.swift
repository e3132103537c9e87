import Graph

extension GraphModel {
  /// Turns an input into an image input. An image input is `[1, C, H, W]` in the graph. If the layers expect another
  /// shape, adds operators that convert the image to this shape.
  ///
  /// - Throws: `invalidInput` if the input does not have the shape of an image with the port's number of channels.
  public mutating func makePicture(ofInput position: Int, _ port: Graph.ImagePort) throws {
    let feature: Feature = inputs[position]
    guard let extents = feature.extents else {
      throw EngineError(
        .invalidInput, "The input '\(feature.name)' has no known rank, so it cannot be an image.")
    }
    let order = try PictureAxes(extents, channels: port.channels, name: feature.name)
    let inner: Graph.ValueID = graph.inputs[position]
    var outer: Graph.ValueID = inner
    let name: String = feature.name
    let steps: [any Operator] = order.fromPicture
    if !steps.isEmpty || feature.held.isInteger {
      outer = graph.addValue(name)
      graph[inner].name = "\(name) of the layers"
      var nodes: [Graph.Node] = []
      var value: Graph.ValueID = outer
      let all: [any Operator] =
        (feature.held.isInteger ? [CastOperator(to: feature.held)] : []) + steps
      for (index, operation) in all.enumerated() {
        let next: Graph.ValueID =
          index == all.count - 1 ? inner : graph.addValue("\(name) \(index)")
        nodes.append(
          Graph.Node(name: "\(name) axes", operation: operation, inputs: [value], outputs: [next]))
        value = next
      }
      graph.nodes.insert(contentsOf: nodes, at: 0)
      graph.inputs[position] = outer
    }
    graph.imageInputs[inner] = nil
    graph.imageInputs[outer] = port
    inputs[position].extents = [1, Extent(port.channels), order.height, order.width]
    inputs[position].element = .uint8
    inputs[position].held = .float32
    inputs[position].image = port
    inputs[position].usual = nil
    inputs[position].choices = []
  }

  /// Turns an output into an image output. Adds operators that convert the tensor to `[1, C, H, W]` and apply the
  /// port's scale and bias. Afterwards the result is rounded to pixels.
  ///
  /// - Throws: `invalidInput` if the output does not have the shape of an image with the port's number of channels.
  public mutating func makePicture(ofOutput position: Int, _ port: Graph.ImagePort) throws {
    let feature: Feature = outputs[position]
    guard let extents = feature.extents else {
      throw EngineError(
        .invalidInput, "The output '\(feature.name)' has no known rank, so it cannot be an image.")
    }
    let order = try PictureAxes(extents, channels: port.channels, name: feature.name)
    var value: Graph.ValueID = graph.outputs[position]
    func add(_ operation: any Operator, _ more: [Graph.ValueID] = []) {
      let next: Graph.ValueID = graph.addValue("\(feature.name) picture")
      graph.nodes.append(
        Graph.Node(
          name: "\(feature.name) picture", operation: operation, inputs: [value] + more,
          outputs: [next]))
      value = next
    }
    for operation in order.toPicture { add(operation) }
    if port != Graph.ImagePort(port.order) {
      let shape = Shape([port.channels, 1, 1])
      let scale = graph.addConstant(Constant(shape, port.scale), name: "\(feature.name) scale")
      let bias = graph.addConstant(Constant(shape, port.bias), name: "\(feature.name) bias")
      add(ScaleOperator(hasBias: true), [scale, bias])
    }
    graph.imageOutputs[graph.outputs[position]] = nil
    graph.outputs[position] = value
    graph.imageOutputs[value] = Graph.ImagePort(port.order)
    outputs[position].extents = [1, Extent(port.channels), order.height, order.width]
    outputs[position].element = .uint8
    outputs[position].image = Graph.ImagePort(port.order)
  }
}

/// The size of the image that a tensor holds, and the operators that convert between the tensor's shape and
/// `[1, C, H, W]`.
private struct PictureAxes {
  /// The number of rows of the image.
  let height: Extent
  /// The number of columns of the image.
  let width: Extent
  /// The operators that convert `[1, C, H, W]` to the tensor's shape.
  let fromPicture: [any Operator]
  /// The operators that convert the tensor to `[1, C, H, W]`.
  let toPicture: [any Operator]

  init(_ extents: [Extent], channels: Int, name: String) throws {
    func isChannels(_ axis: Int) -> Bool { extents[axis].fixed == channels }
    func canBeOne(_ axis: Int) -> Bool { extents[axis].fixed.map { $0 == 1 } ?? true }
    switch extents.count {
    case 4 where canBeOne(0) && isChannels(1):
      (height, width, fromPicture, toPicture) = (extents[2], extents[3], [], [])
    case 4 where canBeOne(0) && isChannels(3):
      (height, width) = (extents[1], extents[2])
      fromPicture = [TransposeOperator(axes: [0, 2, 3, 1])]
      toPicture = [TransposeOperator(axes: [0, 3, 1, 2])]
    case 3 where isChannels(0):
      (height, width) = (extents[1], extents[2])
      fromPicture = [SqueezeOperator(axes: [0])]
      toPicture = [ExpandDimsOperator(axes: [0])]
    case 3 where isChannels(2):
      (height, width) = (extents[0], extents[1])
      fromPicture = [SqueezeOperator(axes: [0]), TransposeOperator(axes: [1, 2, 0])]
      toPicture = [TransposeOperator(axes: [2, 0, 1]), ExpandDimsOperator(axes: [0])]
    case 2 where channels == 1:
      (height, width) = (extents[0], extents[1])
      fromPicture = [SqueezeOperator(axes: [0, 1])]
      toPicture = [ExpandDimsOperator(axes: [0, 1])]
    default:
      let shape: String = extents.map(\.description).joined(separator: " × ")
      throw EngineError(
        .invalidInput,
        "'\(name)' is \(shape), expected an image of \(channels) channels: 1 × \(channels) × height × width, or the channels last."
      )
    }
  }
}
