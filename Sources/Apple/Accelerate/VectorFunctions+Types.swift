/// A type of numbers that vDSP and vForce compute with: `Float` or `Double`.
public protocol vDSP_FloatingPoint: BinaryFloatingPoint, Sendable {
  /// The C functions for this type.
  static var _functions: VectorFunctions<Self> { get }
}

extension Float: vDSP_FloatingPoint {
  public static let _functions = VectorFunctions<Float>(
    vneg: vDSP_vneg, vabs: vDSP_vabs, vnabs: vDSP_vnabs, vsq: vDSP_vsq, vssq: vDSP_vssq,
    vfrac: vDSP_vfrac, vadd: vDSP_vadd, vsub: vDSP_vsub, vmul: vDSP_vmul, vdiv: vDSP_vdiv,
    vmax: vDSP_vmax, vmin: vDSP_vmin, vdist: vDSP_vdist, vsadd: vDSP_vsadd, vsmul: vDSP_vsmul,
    vsdiv: vDSP_vsdiv, vthr: vDSP_vthr, vthres: vDSP_vthres, vrsum: vDSP_vrsum,
    vtrapz: vDSP_vtrapz, svdiv: vDSP_svdiv, vsmsa: vDSP_vsmsa, vclip: vDSP_vclip,
    viclip: vDSP_viclip, vlim: vDSP_vlim, vthrsc: vDSP_vthrsc, vasm: vDSP_vasm, vsbsm: vDSP_vsbsm,
    vmsa: vDSP_vmsa, vintb: vDSP_vintb, vsma: vDSP_vsma, vsmsb: vDSP_vsmsb, vma: vDSP_vma,
    vmsb: vDSP_vmsb, vam: vDSP_vam, vsbm: vDSP_vsbm, vaam: vDSP_vaam, vsbsbm: vDSP_vsbsbm,
    vasbm: vDSP_vasbm, vmma: vDSP_vmma, vmmsb: vDSP_vmmsb, vpythg: vDSP_vpythg, sve: vDSP_sve,
    svesq: vDSP_svesq, svemg: vDSP_svemg, meanv: vDSP_meanv, measqv: vDSP_measqv,
    meamgv: vDSP_meamgv, rmsqv: vDSP_rmsqv, maxv: vDSP_maxv, minv: vDSP_minv, maxmgv: vDSP_maxmgv,
    maxvi: vDSP_maxvi, minvi: vDSP_minvi, maxmgvi: vDSP_maxmgvi, dotpr: vDSP_dotpr,
    distancesq: vDSP_distancesq, normalize: vDSP_normalize, vramp: vDSP_vramp, vfill: vDSP_vfill,
    vrvrs: vDSP_vrvrs, vclr: vDSP_vclr, vsort: vDSP_vsort, hann_window: vDSP_hann_window,
    hamm_window: vDSP_hamm_window, blkman_window: vDSP_blkman_window, conv: vDSP_conv,
    vswsum: vDSP_vswsum, desamp: vDSP_desamp, vgathr: vDSP_vgathr, vlint: vDSP_vlint,
    vpoly: vDSP_vpoly, vdbcon: vDSP_vdbcon, vvexp: vvexpf, vvexp2: vvexp2f, vvexpm1: vvexpm1f,
    vvlog: vvlogf, vvlog2: vvlog2f, vvlog10: vvlog10f, vvlog1p: vvlog1pf, vvlogb: vvlogbf,
    vvsin: vvsinf, vvcos: vvcosf, vvtan: vvtanf, vvasin: vvasinf, vvacos: vvacosf, vvatan: vvatanf,
    vvsinh: vvsinhf, vvcosh: vvcoshf, vvtanh: vvtanhf, vvasinh: vvasinhf, vvacosh: vvacoshf,
    vvatanh: vvatanhf, vvsinpi: vvsinpif, vvcospi: vvcospif, vvtanpi: vvtanpif, vvsqrt: vvsqrtf,
    vvrsqrt: vvrsqrtf, vvrec: vvrecf, vvfabs: vvfabsf, vvceil: vvceilf, vvfloor: vvfloorf,
    vvint: vvintf, vvnint: vvnintf, vvcbrt: vvcbrtf, vvpow: vvpowf, vvatan2: vvatan2f,
    vvfmod: vvfmodf, vvremainder: vvremainderf, vvcopysign: vvcopysignf)
}

extension Double: vDSP_FloatingPoint {
  public static let _functions = VectorFunctions<Double>(
    vneg: vDSP_vnegD, vabs: vDSP_vabsD, vnabs: vDSP_vnabsD, vsq: vDSP_vsqD, vssq: vDSP_vssqD,
    vfrac: vDSP_vfracD, vadd: vDSP_vaddD, vsub: vDSP_vsubD, vmul: vDSP_vmulD, vdiv: vDSP_vdivD,
    vmax: vDSP_vmaxD, vmin: vDSP_vminD, vdist: vDSP_vdistD, vsadd: vDSP_vsaddD, vsmul: vDSP_vsmulD,
    vsdiv: vDSP_vsdivD, vthr: vDSP_vthrD, vthres: vDSP_vthresD, vrsum: vDSP_vrsumD,
    vtrapz: vDSP_vtrapzD, svdiv: vDSP_svdivD, vsmsa: vDSP_vsmsaD, vclip: vDSP_vclipD,
    viclip: vDSP_viclipD, vlim: vDSP_vlimD, vthrsc: vDSP_vthrscD, vasm: vDSP_vasmD,
    vsbsm: vDSP_vsbsmD, vmsa: vDSP_vmsaD, vintb: vDSP_vintbD, vsma: vDSP_vsmaD, vsmsb: vDSP_vsmsbD,
    vma: vDSP_vmaD, vmsb: vDSP_vmsbD, vam: vDSP_vamD, vsbm: vDSP_vsbmD, vaam: vDSP_vaamD,
    vsbsbm: vDSP_vsbsbmD, vasbm: vDSP_vasbmD, vmma: vDSP_vmmaD, vmmsb: vDSP_vmmsbD,
    vpythg: vDSP_vpythgD, sve: vDSP_sveD, svesq: vDSP_svesqD, svemg: vDSP_svemgD,
    meanv: vDSP_meanvD, measqv: vDSP_measqvD, meamgv: vDSP_meamgvD, rmsqv: vDSP_rmsqvD,
    maxv: vDSP_maxvD, minv: vDSP_minvD, maxmgv: vDSP_maxmgvD, maxvi: vDSP_maxviD,
    minvi: vDSP_minviD, maxmgvi: vDSP_maxmgviD, dotpr: vDSP_dotprD, distancesq: vDSP_distancesqD,
    normalize: vDSP_normalizeD, vramp: vDSP_vrampD, vfill: vDSP_vfillD, vrvrs: vDSP_vrvrsD,
    vclr: vDSP_vclrD, vsort: vDSP_vsortD, hann_window: vDSP_hann_windowD,
    hamm_window: vDSP_hamm_windowD, blkman_window: vDSP_blkman_windowD, conv: vDSP_convD,
    vswsum: vDSP_vswsumD, desamp: vDSP_desampD, vgathr: vDSP_vgathrD, vlint: vDSP_vlintD,
    vpoly: vDSP_vpolyD, vdbcon: vDSP_vdbconD, vvexp: vvexp, vvexp2: vvexp2, vvexpm1: vvexpm1,
    vvlog: vvlog, vvlog2: vvlog2, vvlog10: vvlog10, vvlog1p: vvlog1p, vvlogb: vvlogb, vvsin: vvsin,
    vvcos: vvcos, vvtan: vvtan, vvasin: vvasin, vvacos: vvacos, vvatan: vvatan, vvsinh: vvsinh,
    vvcosh: vvcosh, vvtanh: vvtanh, vvasinh: vvasinh, vvacosh: vvacosh, vvatanh: vvatanh,
    vvsinpi: vvsinpi, vvcospi: vvcospi, vvtanpi: vvtanpi, vvsqrt: vvsqrt, vvrsqrt: vvrsqrt,
    vvrec: vvrec, vvfabs: vvfabs, vvceil: vvceil, vvfloor: vvfloor, vvint: vvint, vvnint: vvnint,
    vvcbrt: vvcbrt, vvpow: vvpow, vvatan2: vvatan2, vvfmod: vvfmod, vvremainder: vvremainder,
    vvcopysign: vvcopysign)
}
