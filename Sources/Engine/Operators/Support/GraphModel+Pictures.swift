import Graph

extension GraphModel {
  /// Adds an operator that applies the scale and the bias of an input image. Without the operator, they are applied
  /// when the image is read. File formats that cannot express every scale and bias of an image need the operator.
  public mutating func computeScaling(ofInput position: Int) {
    let inner: Graph.ValueID = graph.inputs[position]
    guard let port = graph.imageInputs[inner], port != Graph.ImagePort(port.order) else { return }
    let name: String = graph[inner].name
    let outer: Graph.ValueID = graph.addValue(name)
    graph[inner].name = "\(name) scaled"
    graph.inputs[position] = outer
    graph.imageInputs[inner] = nil
    graph.imageInputs[outer] = Graph.ImagePort(port.order)
    inputs[position].image = Graph.ImagePort(port.order)
    func constant(_ values: [Float], _ role: String) -> Graph.ValueID {
      let isOne: Bool = Set(values).count == 1
      return graph.addConstant(
        Constant([isOne ? 1 : port.channels, 1, 1], isOne ? [values[0]] : values),
        name: "\(name) \(role)")
    }
    var read: [Graph.ValueID] = [outer, constant(port.scale, "scale")]
    let hasBias: Bool = port.bias.contains { $0 != 0 }
    if hasBias { read.append(constant(port.bias, "bias")) }
    graph.nodes.insert(
      Graph.Node(
        name: "\(name) scale", operation: ScaleOperator(hasBias: hasBias), inputs: read,
        outputs: [inner]), at: 0)
  }
}
