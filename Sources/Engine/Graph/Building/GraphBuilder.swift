/// Builds a graph operator by operator, in Swift or from a file. Knows the extents of every value added so far.
///
///     let builder = GraphBuilder()
///     let photo = builder.addInput("photo", extents: [1, 3, Extent(from: 64), Extent(from: 64)])
///     let soft = try builder.add(SoftmaxOperator(), photo, name: "soft")
///     builder.addOutput(soft, name: "soft")
///     let model = builder.model()
///
/// Free extents need no symbols in the operators' shape inference. Instead, shape inference runs twice, and the second
/// run replaces each free extent by another number than the first run. ``KnownTypes`` tracks, from operator to
/// operator, which extents and elements depend on a free extent.
public final class GraphBuilder {
  /// The graph built so far.
  public private(set) var graph = Graph()
  /// The inputs added so far.
  public private(set) var inputs: [GraphModel.Feature] = []
  /// The outputs added so far.
  public private(set) var outputs: [GraphModel.Feature] = []
  /// The layer of the file that is being read. New nodes get this layer as their origin, and errors name it.
  public var origin: Graph.Node.Origin?
  private var known: KnownTypes

  /// Creates a builder of a graph. With `parent`, the builder makes a region of a node in the parent's graph. If an
  /// extent of the region and an extent of the parent's graph have the same name, the two extents are equal.
  public init(inside parent: GraphBuilder? = nil) {
    known = KnownTypes(inside: parent?.known)
  }

  /// Creates a builder that extends a model. The model's outputs become ordinary values.
  public init(continuing model: GraphModel) {
    known = KnownTypes(of: model)
    graph = model.graph
    inputs = model.inputs
    (graph.outputs, graph.imageOutputs) = ([], [:])
  }

  // MARK: - Values

  /// Adds an input.
  ///
  /// - Parameters:
  ///   - extents: The extents, outermost first; nil if even the rank is unknown.
  ///   - element: The element type that callers of the model see.
  ///   - held: The element type in the graph. By default it is `element`.
  @discardableResult
  public func addInput(
    _ name: String, extents: [Extent]?, element: ElementType = .float32, held: ElementType? = nil,
    image: Graph.ImagePort? = nil, summary: String = ""
  ) -> Graph.ValueID {
    let value: Graph.ValueID = addArgument(name, extents: extents, element: held ?? element)
    inputs.append(
      GraphModel.Feature(name, element, extents, held: held, image: image, summary: summary))
    if let image { graph.imageInputs[value] = image }
    return value
  }

  /// Adds an input of a region. Callers of the model do not see it.
  public func addArgument(_ name: String, extents: [Extent]?, element: ElementType) -> Graph.ValueID
  {
    let value: Graph.ValueID = graph.addValue(name)
    graph.inputs.append(value)
    state(extents, element, of: value)
    return value
  }

  /// States the type of a value for which shape inference gives no type: an argument, an output of a loop or branch, or
  /// an output whose extents depend on data.
  public func state(_ extents: [Extent]?, _ element: ElementType, of value: Graph.ValueID) {
    known.state(extents, element, of: value)
  }

  /// Adds a constant.
  public func addConstant(_ constant: Constant, name: String) -> Graph.ValueID {
    let value: Graph.ValueID = graph.addConstant(constant, name: name)
    known.state(constant, of: value)
    return value
  }

  /// Adds a constant.
  public func addConstant(_ tensor: ReferenceTensor, name: String) -> Graph.ValueID {
    addConstant(Constant(tensor), name: name)
  }

  // MARK: - Operators

  /// Adds an operator with one output.
  ///
  /// - Throws: ``EngineError`` with the operator's name if the inputs are invalid. If an input has free extents,
  ///   planning makes this check instead.
  public func add(_ operation: any Operator, _ inputs: Graph.ValueID..., name: String) throws
    -> Graph.ValueID
  {
    try add(operation, inputs, outputs: 1, name: name)[0]
  }

  /// Adds an operator.
  public func add(
    _ operation: any Operator, _ inputs: [Graph.ValueID], outputs count: Int = 1, name: String,
    regions: [Graph.Region] = []
  ) throws -> [Graph.ValueID] {
    let made: [Graph.ValueID] = (0..<count).map { index in
      graph.addValue(count == 1 ? name : "\(name) \(index)")
    }
    let node = Graph.Node(
      name: name, operation: operation, inputs: inputs, outputs: made, regions: regions,
      origin: origin)
    // If an input has free extents, the fault may only concern the numbers by which the probes replaced them. Then the
    // builder ignores the fault, because planning checks the actual extents.
    if let fault = known.infer(node), inputs.allSatisfy({ known.isFixed($0) }) { throw fault }
    graph.nodes.append(node)
    return made
  }

  /// Gives a value the name that it has in the file.
  public func rename(_ value: Graph.ValueID, to name: String) { graph[value].name = name }

  // MARK: - Known types

  /// Returns the extents of a value, in which a free extent is nil. Returns nil if the rank is unknown.
  public func extents(of value: Graph.ValueID) -> [Int?]? { known.extents(of: value) }

  /// Returns the number of dimensions; nil if unknown.
  public func rank(of value: Graph.ValueID) -> Int? { extents(of: value)?.count }

  /// Returns the type of the elements; nil if unknown.
  public func element(of value: Graph.ValueID) -> ElementType? { known.element(of: value) }

  /// Returns the elements of a value that depends on no input: a constant, or a small value computed from constants.
  /// Nil for other values.
  public func constant(of value: Graph.ValueID) -> Constant? { known.constant(of: value) }

  /// Returns the elements of a small vector of integers, such as a shape. An element that depends on a free extent is
  /// nil. Returns nil if the elements are not known before the network runs.
  public func elements(of value: Graph.ValueID) -> [Int?]? { known.elements(of: value) }

  // MARK: - Results

  /// Makes a value an output of the graph. Callers see it under `name`.
  ///
  /// - Parameter element: The element type that callers of the model see. By default it is the value's type.
  public func addOutput(
    _ value: Graph.ValueID, name: String, element: ElementType? = nil,
    image: Graph.ImagePort? = nil, summary: String = ""
  ) {
    let extents: [Extent]? = extents(of: value)?.map { $0.map { Extent($0) } ?? Extent(from: 0) }
    graph.outputs.append(value)
    if let image { graph.imageOutputs[value] = image }
    outputs.append(
      GraphModel.Feature(
        name, element ?? self.element(of: value) ?? .float32, extents, image: image,
        summary: summary))
  }

  /// Returns the model built so far.
  public func model() -> GraphModel { GraphModel(graph, inputs: inputs, outputs: outputs) }

  /// Returns the graph as a region with these outputs.
  public func region(outputs: [Graph.ValueID]) -> Graph.Region {
    var part: Graph = graph
    part.outputs = outputs
    return Graph.Region(part)
  }
}
