import Graph

extension OperatorFamily {
  /// Operators that take, reverse, pad or clear parts of a tensor along any axis.
  public static let slicing = OperatorFamily(
    "Slicing",
    [
      SliceStaticOperator.self, SliceDynamicOperator.self, SliceBySizeOperator.self,
      ReverseOperator.self, ReverseSeqOperator.self, SlidingWindowsOperator.self,
      ConstantPadOperator.self, LowerTriangularOperator.self, UpperTriangularOperator.self,
      MatrixBandPartOperator.self, SliceGradientOperator.self, SliceUpdateOperator.self,
    ])
}
