import Engine

extension LayerFamily {
  /// Layers that take, turn around, surround or clear parts of a tensor along any axis.
  public static let slicing = LayerFamily(
    "Slicing",
    [
      SliceStaticLayer.self, SliceDynamicLayer.self, SliceBySizeLayer.self, ReverseLayer.self,
      ReverseSeqLayer.self, SlidingWindowsLayer.self, ConstantPadLayer.self,
      LowerTriangularLayer.self, UpperTriangularLayer.self, MatrixBandPartLayer.self,
      SliceGradientLayer.self,
    ])
}
