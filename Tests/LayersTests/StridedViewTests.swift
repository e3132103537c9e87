import Engine
import Operators
import Testing

@Suite("Views of tensors")
struct StridedViewTests {
  private static let shape: Shape = [2, 3, 4, 6]

  /// Operators one after the other, and whether what they make of a tensor is a view.
  private static let chains: [(operations: [any Operator], isView: Bool)] = [
    ([], true),
    ([TransposeOperator(axes: [3, 1, 0, 2])], true),
    ([ReshapeStaticOperator(targetShape: [6, 24])], true),
    ([ReshapeStaticOperator(targetShape: [2, 3, 2, 2, 2, 3])], true),
    // The repetition of heads, as coremltools writes `repeat_interleave`.
    (
      [
        SliceStaticOperator(slices: [
          AxisSlice(begin: 1, isSqueezed: true), AxisSlice(), AxisSlice(begin: 1, end: -1),
          AxisSlice(),
        ]),
        ExpandDimsOperator(axes: [0]), TransposeOperator(axes: [1, 0, 2, 3]),
        TileOperator(repetitions: [5, 1, 1, 1]),
        ReshapeStaticOperator(targetShape: [5, 3, 1, 2, 6]),
        TransposeOperator(axes: [1, 0, 2, 3, 4]),
        ReshapeStaticOperator(targetShape: [15, 1, 2, 6]),
        TransposeOperator(axes: [1, 0, 2, 3]),
      ], true
    ),
    (
      [
        SliceStaticOperator(slices: [
          AxisSlice(), AxisSlice(stride: -1), AxisSlice(begin: 3, end: 0, stride: -2),
          AxisSlice(begin: 2),
        ])
      ], true
    ),
    (
      [ExpandDimsOperator(axes: [1]), BroadcastToStaticOperator(targetShape: [2, 4, 3, 4, 6])], true
    ),
    ([SqueezeOperator(axes: nil), CopyOperator(), FlattenTo2DOperator(axis: 2)], true),
    // A part of two axes that were joined is no box.
    (
      [
        TransposeOperator(axes: [0, 2, 1, 3]), ReshapeStaticOperator(targetShape: [2, 12, 6]),
        SliceStaticOperator(slices: [AxisSlice(), AxisSlice(begin: 1, end: 6), AxisSlice()]),
      ], false
    ),
    (
      [TransposeOperator(axes: [0, 2, 1, 3]), ReshapeStaticOperator(targetShape: [2, 6, 2, 6])],
      false
    ),
    ([BinaryFunctionOperator(.multiply, number: 2)], false),
  ]

  @Test("A view shows what the operators make", arguments: chains.indices)
  func moves(position: Int) throws {
    let (operations, isView) = Self.chains[position]
    let source = ReferenceTensor(Self.shape, (0..<Self.shape.count).map(Double.init))
    var (made, view): (ReferenceTensor, StridedView?) = (source, StridedView(Self.shape))
    for operation in operations {
      made = try operation.reference([made])[0]
      view = view?.moved(by: operation, to: made.shape)
    }
    #expect((view != nil) == isView)
    guard let view else { return }
    #expect(view.shape == made.shape)
    #expect(view.elements(of: source).values == made.values)
    #expect(view.fits(Self.shape))
  }

  @Test("A view reaches no further than its tensor")
  func reach() {
    var view = StridedView([2, 3])
    view.offset = 1
    #expect(!view.fits([2, 3]))
    #expect(view.fits([7]))
    view.axes[1] = [StridedView.Run(extent: 3, stride: -1)]
    #expect(!view.fits([7]))
  }
}
