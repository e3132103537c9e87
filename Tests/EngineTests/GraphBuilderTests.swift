import Engine
import NetworkRuns
import Operators
import Testing

@Suite("Building graphs in Swift")
struct GraphBuilderTests {
  @Test("Extents that do not depend on a free extent are known, others are not")
  func freeExtents() throws {
    let builder = GraphBuilder()
    let input = builder.addInput(
      "input", extents: [Extent(from: 1, symbol: "batch"), 3, Extent(from: 8), 5])
    let flat = try builder.add(FlattenTo2DOperator(axis: 2), input, name: "flat")
    #expect(builder.extents(of: input) == [nil, 3, nil, 5])
    #expect(builder.extents(of: flat) == [nil, nil])
    let sum = try builder.add(
      ReduceAxesOperator(.sum, axes: [2], keepsAxes: false), input, name: "sum")
    #expect(builder.extents(of: sum) == [nil, 3, 5])
    builder.addOutput(sum, name: "sum")
    #expect(builder.model().outputs[0].extents?.map(\.fixed) == [nil, 3, 5])
  }

  @Test("Values derived from a free extent are not constants; other derived values are")
  func constants() throws {
    let builder = GraphBuilder()
    let fixed = builder.addInput("fixed", extents: [4, 6])
    let free = builder.addInput("free", extents: [4, Extent(from: 1)])
    let known = try builder.add(GetShapeOperator(), fixed, name: "known")
    let open = try builder.add(GetShapeOperator(), free, name: "open")
    #expect(try builder.constant(of: known)?.floats() == [4, 6])
    #expect(builder.constant(of: open) == nil)
  }

  @Test("Inputs with incompatible known extents are refused, with the operator's name")
  func faults() throws {
    let builder = GraphBuilder()
    let left = builder.addInput("left", extents: [2, 3])
    let right = builder.addInput("right", extents: [2, 4])
    #expect(throws: EngineError.self) {
      _ = try builder.add(BinaryFunctionOperator(.add), left, right, name: "sum")
    }
    let free = builder.addInput("free", extents: [2, Extent(from: 1)])
    let sum = try builder.add(BinaryFunctionOperator(.add), left, free, name: "later")
    #expect(builder.extents(of: sum) == nil)
  }

  @Test("A built graph runs at every size that its inputs allow")
  func running() throws {
    let builder = GraphBuilder()
    let input = builder.addInput("input", extents: [1, Extent(from: 1, symbol: "n")])
    let twice = try builder.add(BinaryFunctionOperator(.add), input, input, name: "twice")
    builder.addOutput(twice, name: "twice")
    let model = builder.model()
    let network = Network(
      model.graph, passes: GraphPasses.standard, options: ExecutionOptions())
    for count in [1, 7] {
      let values = (0..<count).map(Double.init)
      let result = try network.run([ReferenceTensor([1, count], values)])
      #expect(result.map(\.reals) == [values.map { 2 * $0 }])
    }
  }
}
