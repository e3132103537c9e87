import Graph
import Operators

extension GraphModel {
  /// Turns operators that no layer expresses into operators that layers express.
  ///
  /// Layers compute in `float32` throughout. So the decomposition drops rounding to smaller types, and stores integers
  /// as float32.
  mutating func decomposeForLayers() {
    var decomposition = LayerDecomposition(graph, KnownTypes(of: self))
    decomposition.decompose()
    graph = decomposition.graph
    for position in inputs.indices {
      if inputs[position].held.isInteger { inputs[position].held = .float32 }
      if inputs[position].extents?.isEmpty == true { inputs[position].extents = [1] }
    }
    for position in outputs.indices where outputs[position].extents?.isEmpty == true {
      outputs[position].extents = [1]
    }
  }
}

/// Rewrites a graph node by node.
private struct LayerDecomposition {
  var graph: Graph
  private let known: KnownTypes
  private var nodes: [Graph.Node] = []

  init(_ graph: Graph, _ known: KnownTypes) {
    self.graph = graph
    self.known = known
  }

  mutating func decompose() {
    for index in graph.values.indices {
      let value = Graph.ValueID(index)
      guard let constant = graph[value].constant, constant.shape.rank == 0 else { continue }
      // Layers have no scalars. A tensor with one axis of one element represents a scalar.
      graph[value].constant = constant.reshaped(to: [1])
    }
    for node in graph.nodes.map(decomposingRegions) {
      guard let result = decomposedWithoutScalars(node) ?? decomposed(node),
        let output = node.outputs.first
      else {
        nodes.append(node)
        continue
      }
      if let last = nodes.last, last.outputs == [result], last.name == node.name {
        nodes[nodes.count - 1].outputs = [output]
      } else {
        nodes.append(
          Graph.Node(
            name: node.name, operation: CopyOperator(), inputs: [result], outputs: [output]))
      }
    }
    graph.nodes = nodes
  }

  /// Returns the node with its regions rewritten for layers.
  private func decomposingRegions(_ node: Graph.Node) -> Graph.Node {
    var decomposed: Graph.Node = node
    for (position, region) in node.regions.enumerated() {
      var inner = LayerDecomposition(region.graph, known.inside(region, of: node))
      inner.decompose()
      decomposed.regions[position] = Graph.Region(inner.graph)
    }
    return decomposed
  }

  private mutating func add(
    _ operation: any Operator, _ inputs: Graph.ValueID..., like node: Graph.Node
  ) -> Graph.ValueID {
    add(operation, of: inputs, like: node)
  }

  private mutating func add(
    _ operation: any Operator, of inputs: [Graph.ValueID], like node: Graph.Node
  ) -> Graph.ValueID {
    let made: Graph.ValueID = graph.addValue("\(node.name) step")
    nodes.append(
      Graph.Node(name: node.name, operation: operation, inputs: inputs, outputs: [made]))
    return made
  }

  private mutating func number(_ number: Float, like node: Graph.Node) -> Graph.ValueID {
    graph.addConstant(Constant([1], [number]), name: "\(node.name) number")
  }

  /// Returns the value that replaces a node's only output. Nil if the node stays in the graph.
  private mutating func decomposed(_ node: Graph.Node) -> Graph.ValueID? {
    switch node.operation {
    case is RoundOperator: return node.inputs[0]
    case let cast as CastOperator: return decomposed(cast, node)
    case let formula as FormulaOperator: return decomposed(formula.formula, node)
    case let padding as PadAxesOperator:
      guard let amounts = padding.amounts, amounts.count >= 4,
        amounts.dropLast(4).allSatisfy({ $0 == 0 })
      else { return nil }
      let last: [Int] = amounts.suffix(4)
      return add(
        PaddingOperator(
          amounts: EdgeAmounts(top: last[0], bottom: last[1], left: last[2], right: last[3]),
          mode: padding.repeatsEdge ? .replication : .reflection), node.inputs[0], like: node)
    case let resize as ResizeOperator: return decomposed(resize, node)
    case let convolution as ConvolutionOperator: return decomposed(convolution, node)
    case let function as BinaryFunctionOperator:
      return decomposedForIntegers(function, node) ?? decomposed(function, node)
    case let reduction as ReduceAxesOperator where reduction.mode == .mean && isInteger(node):
      return truncated(add(reduction, node.inputs[0], like: node), node)
    default: return nil
    }
  }

  /// Returns the value that replaces the only output of a node. Nil if the node stays. This function replaces nodes
  /// that read or compute a scalar, and nodes whose result a layer would take for a scalar.
  ///
  /// Every scalar of the graph gets one axis of one element, because layers have no scalars. All other values keep
  /// their extents. Some operators add axes to a scalar, or remove all axes of a value. This function rewrites these
  /// operators, because their scalar has one axis now. Elementwise operators stay.
  private mutating func decomposedWithoutScalars(_ node: Graph.Node) -> Graph.ValueID? {
    func rank(_ value: Graph.ValueID) -> Int? { known.extents(of: value)?.count }
    func isScalar(_ position: Int) -> Bool {
      node.inputs.indices.contains(position) && rank(node.inputs[position]) == 0
    }
    let makesScalar: Bool = node.outputs.count == 1 && rank(node.outputs[0]) == 0
    switch node.operation {
    case let stretch as ExpandDimsOperator where isScalar(0) || stretch.isOfScalar:
      let ones = [Int](repeating: 1, count: stretch.axes.count)
      return add(ReshapeStaticOperator(targetShape: ones), node.inputs[0], like: node)
    case let slice as SliceStaticOperator
    where !slice.slices.isEmpty && slice.slices.allSatisfy(\.isSqueezed):
      // The slice must not squeeze all axes, because readers of the file would take its result for a scalar.
      let part = add(
        SliceStaticOperator(slices: slice.slices.map(\.ofOneElement)), node.inputs[0], like: node)
      return slice.slices.count == 1
        ? part : add(ReshapeStaticOperator(targetShape: [1]), part, like: node)
    case let gather as GatherOperator where isScalar(1) && gather.batchAxes == 0:
      let part = add(gather, of: node.inputs, like: node)
      guard !makesScalar else { return part }
      return add(SqueezeOperator(axes: [gather.axis]), part, like: node)
    case is StackOperator where isScalar(0):
      return add(ConcatNDOperator(axis: 0), of: node.inputs, like: node)
    case is OneHotOperator where isScalar(0):
      let rows = add(node.operation, of: node.inputs, like: node)
      return add(ReshapeStaticOperator(targetShape: [-1]), rows, like: node)
    case is ReshapeStaticOperator where makesScalar, is SqueezeOperator where makesScalar:
      return add(ReshapeStaticOperator(targetShape: [1]), node.inputs[0], like: node)
    case is TransposeOperator where makesScalar, is TileOperator where makesScalar,
      is BroadcastToStaticOperator where makesScalar:
      return node.inputs[0]
    case let fill as FillStaticOperator where fill.targetShape.isEmpty:
      return add(FillStaticOperator(value: fill.value, targetShape: [1]), of: [], like: node)
    default: return nil
    }
  }

  private mutating func decomposed(_ cast: CastOperator, _ node: Graph.Node) -> Graph.ValueID {
    let x: Graph.ValueID = node.inputs[0]
    if cast.element == .bool {
      return add(BinaryFunctionOperator(.isNotEqual, number: 0), x, like: node)
    }
    if cast.element.isFloatingPoint || known.element(of: x)?.isInteger == true { return x }
    return truncated(x, node)
  }

  /// Returns whether a node computes with integers.
  private func isInteger(_ node: Graph.Node) -> Bool {
    known.element(of: node.inputs[0])?.isInteger == true
  }

  /// Computes a quotient or power of integers in float32, and converts the result to an integer. Nil for other
  /// functions.
  private mutating func decomposedForIntegers(
    _ function: BinaryFunctionOperator, _ node: Graph.Node
  ) -> Graph.ValueID? {
    guard isInteger(node), function.function == .divide || function.function == .power else {
      return nil
    }
    let operands: [Graph.ValueID] =
      node.inputs + (function.number.map { [number($0, like: node)] } ?? [])
    let made = add(BinaryFunctionOperator(function.function), of: operands, like: node)
    // Floating-point powers are inexact. 3⁴ may be slightly below 81, so the power is rounded. A base of 2 or more with
    // a negative exponent gives at most ½, and ½ rounds to 0.
    return function.function == .divide
      ? truncated(made, node) : add(UnaryFunctionOperator(.round), made, like: node)
  }

  /// Removes the fraction of a value. This rounds the value towards zero.
  private mutating func truncated(_ x: Graph.ValueID, _ node: Graph.Node) -> Graph.ValueID {
    let size = add(UnaryFunctionOperator(.magnitude), x, like: node)
    let integer = add(UnaryFunctionOperator(.floor), size, like: node)
    let sign = add(UnaryFunctionOperator(.sign), x, like: node)
    return add(BinaryFunctionOperator(.multiply), sign, integer, like: node)
  }

  /// Rewrites a function of an input and a number. Nil for comparisons, because the format has layers that compare an
  /// input with a number.
  private mutating func decomposed(
    _ function: BinaryFunctionOperator, _ node: Graph.Node
  ) -> Graph.ValueID? {
    guard let right = function.number, !BinaryFunction.comparisons.contains(function.function)
    else { return nil }
    let x: Graph.ValueID = node.inputs[0]
    switch function.function {
    case .add: return add(ActivationOperator(.linear(alpha: 1, beta: right)), x, like: node)
    case .multiply: return add(ActivationOperator(.linear(alpha: right, beta: 0)), x, like: node)
    default:
      let operand: Graph.ValueID = number(right, like: node)
      return add(BinaryFunctionOperator(function.function), x, operand, like: node)
    }
  }

  /// Rewrites a transposed convolution with output padding. Output padding adds rows or columns at the end of the
  /// output. The layer instead crops fewer rows or columns. If the convolution crops too few for that, the layer states
  /// the size of its output. If that size is not known, zeros are added to the input.
  private mutating func decomposed(
    _ convolution: ConvolutionOperator, _ node: Graph.Node
  ) -> Graph.ValueID? {
    guard convolution.outputPadding != ConvolutionOperator.Pair(0, 0) else { return nil }
    var plain: ConvolutionOperator = convolution
    if let padding = convolution.paddingLessRows {
      plain.padding = padding.for2D
    } else if let extents = known.extents(of: node.outputs[0]), extents.count >= 2,
      let height = extents[extents.count - 2], let width = extents[extents.count - 1]
    {
      plain.outputShape = ConvolutionOperator.Pair(height, width)
    } else if let zeros = convolution.zerosForRows {
      plain.padding = zeros.padding.for2D
      plain.outputPadding = ConvolutionOperator.Pair(0, 0)
      let padded = add(PaddingOperator(amounts: zeros.amounts), node.inputs[0], like: node)
      return add(plain, of: [padded] + node.inputs.dropFirst(), like: node)
    } else {
      return nil
    }
    plain.outputPadding = ConvolutionOperator.Pair(0, 0)
    return add(plain, of: node.inputs, like: node)
  }

  private mutating func decomposed(_ resize: ResizeOperator, _ node: Graph.Node) -> Graph.ValueID? {
    guard let old = known.extents(of: node.inputs[0]), let new = known.extents(of: node.outputs[0]),
      old.count >= 3, old.dropLast(2) == new.dropLast(2),
      let height = new[new.count - 2], let width = new[new.count - 1]
    else { return nil }
    if resize.mode == .linear {
      return add(
        ResizeBilinearOperator(height: height, width: width, grid: resize.grid), node.inputs[0],
        like: node)
    }
    guard let oldHeight = old[old.count - 2], let oldWidth = old[old.count - 1], oldHeight > 0,
      oldWidth > 0, height % oldHeight == 0, width % oldWidth == 0
    else { return nil }
    // Nearest-neighbour resizing by integer factors only repeats each pixel, unless the sampling grid aligns the
    // corners.
    guard resize.grid == .upsample || resize.grid == .pixelCentres else { return nil }
    return add(
      UpsampleOperator(
        heightFactor: Float(height / oldHeight), widthFactor: Float(width / oldWidth)),
      node.inputs[0], like: node)
  }

  private mutating func decomposed(_ formula: Formula, _ node: Graph.Node) -> Graph.ValueID {
    switch formula {
    case .operand(let input): return node.inputs[input]
    case .number(let value): return number(value, like: node)
    case .affine(let x, let scale, let shift):
      let inner: Graph.ValueID = decomposed(x, node)
      return add(
        ActivationOperator(.linear(alpha: scale, beta: shift)), inner, like: node)
    case .power(let x, let exponent):
      let inner: Graph.ValueID = decomposed(x, node)
      return add(UnaryOperator(.power(alpha: exponent)), inner, like: node)
    case .function(let function, let x):
      let inner: Graph.ValueID = decomposed(x, node)
      if function.name == "Sigmoid" { return add(ActivationOperator(.sigmoid), inner, like: node) }
      if function.name == "Softplus" {
        return add(ActivationOperator(.softplus), inner, like: node)
      }
      return add(UnaryFunctionOperator(function), inner, like: node)
    case .operation(let function, let left, let right):
      let (x, y) = (decomposed(left, node), decomposed(right, node))
      return add(BinaryFunctionOperator(function), x, y, like: node)
    }
  }
}

extension AxisSlice {
  /// A slice that takes the same element as this slice but keeps the axis.
  fileprivate var ofOneElement: AxisSlice {
    let index: Int = begin ?? (stride < 0 ? -1 : 0)
    return AxisSlice(begin: index, end: index == -1 ? nil : index + 1)
  }
}
