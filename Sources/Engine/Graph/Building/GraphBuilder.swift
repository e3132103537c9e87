/// Builds a graph operator by operator, in Swift or while a file is read, and knows the extents of every value so
/// far.
///
///     let builder = GraphBuilder()
///     let photo = builder.addInput("photo", extents: [1, 3, Extent(from: 64), Extent(from: 64)])
///     let soft = try builder.add(SoftmaxOperator(), photo, name: "soft")
///     let model = builder.model(outputs: ["soft": soft])
///
/// Where an input's extent is free, the operators' type rules are asked with numbers in its place, and what depends
/// on the free extent is tracked from operator to operator (``KnownTypes``). So no rule has to know of symbols.
public final class GraphBuilder {
  /// The graph so far.
  public private(set) var graph = Graph()
  /// The inputs so far.
  public private(set) var inputs: [GraphModel.Feature] = []
  /// The outputs so far.
  public private(set) var outputs: [GraphModel.Feature] = []
  /// The layer of the file that is read at the moment: what is added is made of it, and errors name it.
  public var origin: Graph.Node.Origin?
  private var known: KnownTypes

  /// A builder of a graph, or of a region inside of another builder's graph: extents of one name are then the
  /// same in both.
  public init(inside parent: GraphBuilder? = nil) {
    known = KnownTypes(inside: parent?.known)
  }

  /// A builder that goes on with a model; its outputs are values of the graph, and no longer outputs.
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
  ///   - extents: Outermost first; nil where not even the rank is known.
  ///   - element: The type at the border.
  ///   - held: The type in the graph, that of the border unless told otherwise.
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

  /// Adds an input of a region: one that no caller knows.
  public func addArgument(_ name: String, extents: [Extent]?, element: ElementType) -> Graph.ValueID
  {
    let value: Graph.ValueID = graph.addValue(name)
    graph.inputs.append(value)
    state(extents, element, of: value)
    return value
  }

  /// Says what is known of a value that no type rule can tell: an argument, what a loop or a branch makes, or an
  /// output whose extents depend on data.
  public func state(_ extents: [Extent]?, _ element: ElementType, of value: Graph.ValueID) {
    known.state(extents, element, of: value)
  }

  /// Adds a value that does not change.
  public func addConstant(_ constant: Constant, name: String) -> Graph.ValueID {
    let value: Graph.ValueID = graph.addConstant(constant, name: name)
    known.state(constant, of: value)
    return value
  }

  /// Adds numbers that do not change.
  public func addConstant(_ tensor: ReferenceTensor, name: String) -> Graph.ValueID {
    addConstant(Constant(tensor), name: name)
  }

  // MARK: - Operators

  /// Adds an operator that makes one value.
  ///
  /// - Throws: ``EngineError``, with the operator's name, where the inputs do not fit whatever the free extents
  ///   are.
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
    // With free extents a rule may refuse the numbers that stand for them; the real ones are seen when planning.
    if let fault = known.infer(node), inputs.allSatisfy({ known.isFixed($0) }) { throw fault }
    graph.nodes.append(node)
    return made
  }

  /// Gives a value another name: the one that a file knows it by.
  public func rename(_ value: Graph.ValueID, to name: String) { graph[value].name = name }

  // MARK: - What is known

  /// The extents of a value, nil for those that are free; nil altogether where the rank is not known.
  public func extents(of value: Graph.ValueID) -> [Int?]? { known.extents(of: value) }

  /// The number of dimensions; nil where it is not known.
  public func rank(of value: Graph.ValueID) -> Int? { extents(of: value)?.count }

  /// The type of the elements; nil where it is not known.
  public func element(of value: Graph.ValueID) -> ElementType? { known.element(of: value) }

  /// The values, where they depend on no input: constants, and small ones that are computed of them.
  public func constant(of value: Graph.ValueID) -> Constant? { known.constant(of: value) }

  // MARK: - The end

  /// Makes a value an output of the graph, under a name that callers know.
  ///
  /// - Parameter element: The type at the border; that of the value unless told otherwise.
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

  /// The model that was built.
  public func model() -> GraphModel { GraphModel(graph, inputs: inputs, outputs: outputs) }

  /// What was built, as a region that gives these values.
  public func region(outputs: [Graph.ValueID]) -> Graph.Region {
    var part: Graph = graph
    part.outputs = outputs
    return Graph.Region(part)
  }
}
