package invocations

// Least encoded sizes: the array header and one byte a field.
const (
	argumentBytes    = 1 + argumentFields
	parameterBytes   = 1 + parameterFields
	functionBytes    = 1 + functionFields
	descriptionBytes = 1 + descriptionFields
)

const (
	artifactFields    = 4
	argumentFields    = 13
	measureFields     = 17
	limitsFields      = 2
	verifyFields      = 3
	descriptionFields = 5
	functionFields    = 7
	parameterFields   = 2
)

func (m *Execute) layout(w wire) {
	outer := w.message(KindExecute, 20)
	w.id(&m.ID)
	w.int(&m.Round)
	w.flag(&m.Last)
	w.text(&m.Name)
	w.text(&m.Group)
	w.word(&m.Invocation.Runtime)
	layoutArtifact(w, &m.Artifact)
	w.text(&m.Function)
	list(w, "Execute.Arguments", argumentBytes, &m.Arguments, layoutArgument)
	w.textMap("Execute.Parameters", &m.Parameters)
	layoutMeasure(w, &m.Measure)
	layoutLimits(w, &m.Limits)
	layoutVerification(w, &m.Verify)
	w.flag(&m.Trace)
	w.int64(&m.TraceCalls)
	w.float64(&m.QuietPorts)
	w.flag(&m.Trusted)
	w.text(&m.NoCanary)
	w.float64(&m.QuietMemory)
	w.close(outer)
}

func layoutArtifact(w wire, a *Artifact) {
	outer := w.open("Artifact", artifactFields)
	w.text(&a.Path)
	w.text(&a.SHA256)
	w.text(&a.Built)
	w.textMap("Artifact.Options", &a.Options)
	w.close(outer)
}

func layoutArgument(w wire, a *Argument) {
	outer := w.open("Argument", argumentFields)
	w.text(&a.Name)
	w.word((*string)(&a.Element))
	sizes(w, "Argument.Shape", &a.Shape)
	sizes(w, "Argument.Strides", &a.Strides)
	w.int64(&a.Offset)
	w.text(&a.Extent)
	w.word((*string)(&a.Usage))
	w.flag(&a.ByValue)
	w.flag(&a.Callee)
	w.word((*string)(&a.Contents.Fill))
	w.uint64(&a.Contents.Seed)
	w.text(&a.Contents.Value)
	w.text(&a.Contents.Path)
	w.close(outer)
}

func layoutMeasure(w wire, m *Measure) {
	outer := w.open("Measure", measureFields)
	w.word((*string)(&m.Mode))
	w.float64(&m.Precision)
	w.int64(&m.MinTimeNS)
	w.int64(&m.MaxTimeNS)
	w.int64(&m.MinIterations)
	w.int64(&m.SetBytes)
	w.int64(&m.CallsPerBatch)
	w.int(&m.Rounds)
	w.int(&m.CPU)
	w.flag(&m.CheckOnly)
	w.uint64(&m.Seed)
	w.int64(&m.ProfileCalls)
	w.int64(&m.Iterations)
	w.int(&m.Launches)
	w.flag(&m.HugePages)
	w.int64(&m.PageOffset)
	w.int64(&m.StackOffset)
	w.close(outer)
}

func layoutLimits(w wire, l *Limits) {
	outer := w.open("Limits", limitsFields)
	w.int64(&l.TimeoutNS)
	w.int64(&l.MemoryBytes)
	w.close(outer)
}

func layoutVerification(w wire, v *Verification) {
	outer := w.open("Verification", verifyFields)
	w.text(&v.Reference)
	w.float64(&v.Tolerance)
	texts(w, "Verification.Expected", &v.Expected)
	w.close(outer)
}

func layoutDescription(w wire, d *Description) {
	outer := w.open("Description", descriptionFields)
	layoutArtifact(w, &d.Artifact)
	list(w, "Description.Functions", functionBytes, &d.Functions, layoutFunction)
	w.flag(&d.NeedsBuild)
	texts(w, "Description.Warnings", &d.Warnings)
	texts(w, "Description.Details", &d.Details)
	w.close(outer)
}

func layoutFunction(w wire, f *Function) {
	outer := w.open("Function", functionFields)
	w.text(&f.Name)
	list(w, "Function.Arguments", argumentBytes, &f.Arguments, layoutArgument)
	list(w, "Function.Parameters", parameterBytes, &f.Parameters, layoutParameter)
	w.text(&f.Signature)
	w.text(&f.Skip)
	w.text(&f.Lacks)
	w.text(&f.Note)
	w.close(outer)
}

func layoutParameter(w wire, p *Parameter) {
	outer := w.open("Parameter", parameterFields)
	w.text(&p.Name)
	w.text(&p.Default)
	w.close(outer)
}
